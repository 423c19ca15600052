import type { Readable, Writable } from 'node:stream';
import {
  type CallToolResult,
  fromJsonSchema,
  type JsonSchemaType,
  type jsonSchemaValidator,
  McpServer,
} from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { oneLine } from '../../text/visible.ts';
import { argumentProblem, type ObjectSchema } from './arguments.ts';
import type { Host } from './host.ts';
import { InputLines, MOST_BYTES } from './input-lines.ts';
import { referencePages } from './reference.ts';
import { Refusal } from './refusal.ts';
import { TOOLS, type Tool } from './tools.ts';

const INSTRUCTIONS = `A Ninefold document describes an HTTP service in nine parts, and has no defaults: whatever it leaves open is a question. To write one: apply with begin: true, then next_questions, then apply one answer after the other until nothing is open, then test. Answer only what the person said or decided; ask about the rest. explain and the resources describe the language.`;

/** Serves the tools and the reference over two streams, standard input and output, until the input ends. */
export function serveAgent(host: Host, input: Readable = process.stdin, output: Writable = process.stdout): void {
  const lines = new InputLines((message) => output.write(message));
  input.pipe(lines);
  serveStdio(() => agentServer(host), {
    transport: new StdioServerTransport(lines, output, { maxBufferSize: 2 * MOST_BYTES }),
    onerror: (error) => host.log(oneLine(error.message)),
  });
}

/** The server of one connection, which speaks the version of the protocol that its client does. */
function agentServer(host: Host): McpServer {
  const server = new McpServer(
    { name: 'ninefold', version: host.version },
    {
      instructions: INSTRUCTIONS,
      // Neither changes while the server runs.
      capabilities: { tools: { listChanged: false }, resources: { listChanged: false } },
    },
  );
  for (const tool of TOOLS) register(server, tool, host);
  for (const { name, uri, title, text } of referencePages())
    server.registerResource(
      name,
      uri,
      { title, description: `The reference of the language: ${title}`, mimeType: 'text/markdown' },
      () => ({ contents: [{ uri, mimeType: 'text/markdown', text }] }),
    );
  return server;
}

function register(server: McpServer, tool: Tool, host: Host): void {
  const { name, title, description, properties, required, readOnly, openWorld = false } = tool;
  const schema = { type: 'object', properties, required, additionalProperties: false } as const;
  const inputSchema = fromJsonSchema<never>(schema as JsonSchemaType, validatorOf(schema));
  const annotations = {
    readOnlyHint: readOnly,
    ...(!readOnly && { destructiveHint: true, idempotentHint: false }),
    openWorldHint: openWorld,
  };
  server.registerTool(name, { title, description, inputSchema, annotations }, async (args, { mcpReq }) => {
    try {
      return textResult(await tool.run(args, host, mcpReq.signal), false);
    } catch (error) {
      if (error instanceof Refusal) return textResult(error.message, true);
      host.log(`${name}: ${error instanceof Error ? error.stack : error}`);
      return textResult('This is a defect of Ninefold, not of the document: standard error has the details.', true);
    }
  });
}

/** Checks the arguments of a tool, with a sentence about what is wrong. */
const validatorOf = (schema: ObjectSchema): jsonSchemaValidator => ({
  getValidator:
    <T>() =>
    (input: unknown) => {
      const errorMessage = argumentProblem(schema, input);
      return errorMessage === null
        ? { valid: true, data: input as T, errorMessage: undefined }
        : { valid: false, data: undefined, errorMessage };
    },
});

const textResult = (text: string, isError: boolean): CallToolResult => ({
  content: [{ type: 'text', text }],
  ...(isError && { isError }),
});
