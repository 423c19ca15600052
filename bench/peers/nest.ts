// The orders service on NestJS with its default platform (Express), validated by class-validator.
import 'reflect-metadata';
import {
  type ArgumentsHost,
  BadRequestException,
  Body,
  type CanActivate,
  Catch,
  Controller,
  createParamDecorator,
  Delete,
  type ExceptionFilter,
  type ExecutionContext,
  Get,
  Headers,
  HttpCode,
  Inject,
  Injectable,
  type MiddlewareConsumer,
  Module,
  type NestModule,
  NotFoundException,
  Param,
  Patch,
  Post,
  Query,
  Req,
  Res,
  SetMetadata,
  UseFilters,
  UseGuards,
  type ValidationError,
  ValidationPipe,
} from '@nestjs/common';
import { NestFactory, Reflector } from '@nestjs/core';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import { Transform } from 'class-transformer';
import { IsInt, IsOptional, IsString, Matches, Max, Min, Validate, ValidatorConstraint } from 'class-validator';
import express, { type Request, type Response } from 'express';
import { type Asking, bodyReader } from './nest-body.ts';
import { announce, KEEP_ALIVE } from './orders/announce.ts';
import { absence, draftOf, isShort, isText, patchOf, pointerTo } from './orders/draft.ts';
import { type Caller, Gate } from './orders/gate.ts';
import { type MoveName, OrderLifecycle } from './orders/lifecycle.ts';
import { elsewhere } from './orders/paths.ts';
import { type Fault, faulty, PROBLEM_TYPE, Problem, problem } from './orders/problems.ts';
import { isReadable, listQuery, noParameters, withParameters } from './orders/query.ts';
import { OrderService } from './orders/service.ts';
import { openOrders } from './orders/start.ts';
import { type FaultCode, QUANTITY, type Scope, SKU, VARY } from './orders/terms.ts';
import { currentQuery, olderDraft, olderPatch, olderProblem, shown, shownPage } from './orders/versions.ts';
import { trimmed } from './orders/white-space.ts';

interface Terms {
  readonly scope: Scope;
  readonly takesBody: boolean;
}

const TERMS = 'terms';
const Needs = (scope: Scope, takesBody = false) => SetMetadata(TERMS, { scope, takesBody } satisfies Terms);

const From = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<Asking>().caller,
);

const withoutWhiteSpace = ({ value }: { value: unknown }): unknown =>
  typeof value === 'string' ? trimmed(value) : value;

@ValidatorConstraint({ name: 'isShort' })
class IsShort {
  validate(note: unknown): boolean {
    return typeof note === 'string' && isText(note) && isShort(note);
  }
}

class DraftBody {
  @Transform(withoutWhiteSpace)
  @Matches(SKU)
  @IsString()
  sku!: string;

  @Max(QUANTITY.most)
  @Min(QUANTITY.least)
  @IsInt()
  quantity!: number;

  @Transform(withoutWhiteSpace)
  @IsOptional()
  @Validate(IsShort)
  @IsString()
  note?: string | null;
}

@Injectable()
class KeyGuard implements CanActivate {
  private readonly gate: Gate;
  private readonly reflector: Reflector;

  constructor(gate: Gate, @Inject(Reflector) reflector: Reflector) {
    this.gate = gate;
    this.reflector = reflector;
  }

  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const request = http.getRequest<Asking>();
    const response = http.getResponse<Response>();
    if (request.method === 'HEAD') throw elsewhere(request.path);
    const { scope, takesBody } = this.reflector.get<Terms>(TERMS, context.getHandler());
    const admission = this.gate.admit(
      request.headers,
      request.socket.remoteAddress ?? '',
      scope,
      takesBody,
      request.method,
    );
    response.setHeader('RateLimit-Policy', admission.policy);
    response.setHeader('RateLimit', admission.limit);
    if (scope === 'orders:read') response.setHeader('Vary', VARY);
    if (admission.deprecation) setHeaders(response, admission.deprecation);
    request.caller = admission.caller;
    const readable = isReadable(request.originalUrl) ? null : problem('malformed_request');
    const refusal = admission.problem ?? request.bodyProblem ?? readable ?? (takesBody ? shapeProblem(request) : null);
    if (refusal) throw refusal;
    // The pipe knows the fields of the current version alone.
    if (request.caller.older && takesBody && request.method === 'POST') request.body = olderDraft(request.body);
    return true;
  }
}

function setHeaders(response: Response, headers: readonly string[]): void {
  for (let at = 0; at < headers.length; at += 2) response.setHeader(headers[at]!, headers[at + 1]!);
}

/** A body that is no object is nothing that class-validator could look into. */
function shapeProblem({ body, method, caller }: Asking): Problem | null {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) {
    // class-transformer passes over these, so that class-validator does not see them.
    if (method === 'POST' && !caller.older && (Object.hasOwn(body, '__proto__') || Object.hasOwn(body, 'constructor')))
      draftOf(body);
    return null;
  }
  return faulty([{ pointer: '', code: 'not_an_object' }]);
}

function otherProblem(error: unknown, request: Request): Problem {
  if (error instanceof NotFoundException) return elsewhere(request.path);
  // A path whose escapes are none is the path of nothing.
  return problem(error instanceof URIError || error instanceof BadRequestException ? 'no_such_endpoint' : 'failure');
}

@Catch()
class ProblemFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    const request = host.switchToHttp().getRequest<Partial<Asking> & Request>();
    const found = error instanceof Problem ? withParameters(error, request.query) : otherProblem(error, request);
    const { status, headers, body } = request.caller?.older ? olderProblem(found) : found;
    setHeaders(response, headers);
    response.status(status).type(PROBLEM_TYPE).send(body);
  }
}

@Controller('orders')
@UseGuards(KeyGuard)
@UseFilters(ProblemFilter)
class OrdersController {
  private readonly orders: OrderService;
  private readonly lifecycle: OrderLifecycle;

  constructor(orders: OrderService, lifecycle: OrderLifecycle) {
    this.orders = orders;
    this.lifecycle = lifecycle;
  }

  @Post()
  @Needs('orders:write', true)
  async create(
    @From() caller: Caller,
    @Body() draft: DraftBody,
    @Query() query: Record<string, unknown>,
    @Headers('idempotency-key') key: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    noParameters(query);
    const { status, location, body } = await this.orders.create(caller, draft, key);
    if (location !== null) response.setHeader('Location', location);
    response.status(status).type(status < 400 ? 'application/json' : PROBLEM_TYPE);
    return body;
  }

  @Get()
  @Needs('orders:read')
  list(@From() caller: Caller, @Query() query: Record<string, unknown>): unknown {
    return shownPage(
      this.orders.list(caller, listQuery(caller.older ? currentQuery(query) : query, caller.sentBody)),
      caller.older,
    );
  }

  @Get(':id')
  @Needs('orders:read')
  read(
    @From() caller: Caller,
    @Param('id') id: string,
    @Query() query: Record<string, unknown>,
    @Res({ passthrough: true }) response: Response,
  ): unknown {
    noParameters(query);
    const { order, etag } = this.orders.read(caller, id);
    response.setHeader('ETag', etag);
    return shown(order, caller.older);
  }

  @Post(':id/place')
  @HttpCode(200)
  @Needs('orders:write')
  async place(
    @From() caller: Caller,
    @Param('id') id: string,
    @Query() query: Record<string, unknown>,
  ): Promise<unknown> {
    noParameters(query);
    return shown(await this.orders.place(caller, id), caller.older);
  }

  @Patch(':id')
  @Needs('orders:write', true)
  async change(
    @From() caller: Caller,
    @Param('id') id: string,
    @Query() query: Record<string, unknown>,
    @Headers('if-match') match: string | undefined,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<unknown> {
    const patch = caller.older ? olderPatch(request.body) : patchOf(request.body);
    noParameters(query);
    const { order, etag } = await this.lifecycle.change(caller, id, patch, match);
    response.setHeader('ETag', etag);
    return shown(order, caller.older);
  }

  @Post(':id/cancel')
  @HttpCode(200)
  @Needs('orders:write')
  cancel(@From() caller: Caller, @Param('id') id: string, @Query() query: Record<string, unknown>): Promise<unknown> {
    return this.move(caller, id, query, 'cancel');
  }

  @Post(':id/ship')
  @HttpCode(200)
  @Needs('orders:fulfil')
  ship(@From() caller: Caller, @Param('id') id: string, @Query() query: Record<string, unknown>): Promise<unknown> {
    return this.move(caller, id, query, 'ship');
  }

  @Post(':id/deliver')
  @HttpCode(200)
  @Needs('orders:fulfil')
  deliver(@From() caller: Caller, @Param('id') id: string, @Query() query: Record<string, unknown>): Promise<unknown> {
    return this.move(caller, id, query, 'deliver');
  }

  @Delete(':id')
  @HttpCode(204)
  @Needs('orders:write')
  async remove(
    @From() caller: Caller,
    @Param('id') id: string,
    @Query() query: Record<string, unknown>,
  ): Promise<void> {
    noParameters(query);
    await this.lifecycle.remove(caller, id);
  }

  private async move(caller: Caller, id: string, query: Record<string, unknown>, name: MoveName): Promise<unknown> {
    noParameters(query);
    return shown(await this.lifecycle.move(caller, id, name), caller.older);
  }
}

@Controller('summary')
@UseGuards(KeyGuard)
@UseFilters(ProblemFilter)
class SummaryController {
  private readonly lifecycle: OrderLifecycle;

  constructor(lifecycle: OrderLifecycle) {
    this.lifecycle = lifecycle;
  }

  @Get()
  @Needs('orders:read')
  summary(@From() caller: Caller, @Query() query: Record<string, unknown>): { open: number; units: number } {
    noParameters(query);
    return this.lifecycle.summary(caller);
  }
}

const orders = openOrders();
const { gate, service, lifecycle } = orders;

@Module({
  controllers: [OrdersController, SummaryController],
  providers: [
    { provide: Gate, useValue: gate },
    { provide: OrderService, useValue: service },
    { provide: OrderLifecycle, useValue: lifecycle },
  ],
})
class OrdersModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(bodyReader(orders.strict)).forRoutes(OrdersController);
  }
}

const FIELDS = ['sku', 'quantity', 'note'];
const FAULTS: Readonly<Record<string, FaultCode>> = {
  isString: 'not_text',
  isInt: 'not_integer',
  min: 'too_small',
  max: 'too_large',
  matches: 'not_matching',
  isShort: 'too_long',
  whitelistValidation: 'unknown_field',
};

/** The faults that class-validator has found, in the order of the fields; what is unknown comes last. */
function problemOf(errors: ValidationError[]): Problem {
  const rank = ({ property }: ValidationError): number => FIELDS.indexOf(property) >>> 0;
  const faults = errors
    .toSorted((a, b) => rank(a) - rank(b))
    .map((error): Fault => {
      const pointer = pointerTo(error.property);
      const found = Object.keys(error.constraints ?? {});
      if (found.includes('whitelistValidation')) return { pointer, code: 'unknown_field' };
      const first = Object.keys(FAULTS).find((name) => found.includes(name))!;
      if ((first === 'isShort' || first === 'matches') && typeof error.value === 'string' && !isText(error.value))
        return { pointer, code: 'not_text' };
      if (typeof error.value === 'number' && !Number.isFinite(error.value))
        return { pointer, code: error.value > 0 ? 'too_large' : 'too_small' };
      return { pointer, code: absence(error.value) ?? FAULTS[first]! };
    });
  return faulty(faults);
}

// Paths are as they are written: NestJS leaves it to Express, which takes others too.
const exact = express();
// Express answers 304 by itself wherever there is an entity tag; here If-None-Match is not looked at.
Object.defineProperty(exact.request, 'fresh', { get: () => false });
exact.enable('case sensitive routing');
exact.enable('strict routing');
const app = await NestFactory.create<NestExpressApplication>(OrdersModule, new ExpressAdapter(exact), {
  logger: ['error'],
  bodyParser: false,
});
app.disable('x-powered-by');
app.disable('etag');
app.useGlobalFilters(new ProblemFilter());
app.useGlobalPipes(
  new ValidationPipe({
    transform: true,
    whitelist: true,
    forbidNonWhitelisted: true,
    validationError: { target: false },
    exceptionFactory: problemOf as never,
  }),
);
await app.listen(0, '127.0.0.1');
const server = app.getHttpServer();
server.keepAliveTimeout = KEEP_ALIVE;
announce(server, orders);
