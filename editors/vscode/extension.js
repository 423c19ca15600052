// The extension is a shell: everything that it shows comes from `ninefold lsp`.
const { commands, window, workspace } = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

let client;

/** Starts the language server for the Markdown files that the settings name. */
exports.activate = async (context) => {
  const settings = workspace.getConfiguration('ninefold');
  const [command, ...args] = settings.get('command');
  const pattern = settings.get('documents');
  const cwd = workspace.workspaceFolders?.[0]?.uri.fsPath;
  client = new LanguageClient(
    'ninefold',
    'Ninefold',
    { command, args, options: { cwd } },
    { documentSelector: [{ scheme: 'file', language: 'markdown', pattern }] },
  );
  context.subscriptions.push(
    commands.registerCommand('ninefold.showQuestions', () =>
      commands.executeCommand('workbench.actions.view.problems'),
    ),
  );
  try {
    await client.start();
  } catch (error) {
    window.showErrorMessage(`The language server of Ninefold did not start (${command}): ${error.message}`);
  }
};

/** Ends the server with the editor. */
exports.deactivate = () => client?.stop();
