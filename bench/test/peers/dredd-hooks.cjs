// The hooks of Dredd, which loads CommonJS alone: each transaction becomes a case of its operation and status.
const { writeFileSync } = require('node:fs');
const hooks = require('hooks');
const { CASES, targetOf } = require('./cases.ts');
const { Stage } = require('./stage.ts');

const URL_OF_SERVICE = process.env.PEERS_URL;
let stage = null;

hooks.beforeAll((_transactions, done) => {
  Stage.at(URL_OF_SERVICE)
    .then((one) => {
      stage = one;
      done();
    })
    .catch(done);
});

/** The case of the code that the example of the answer has; without one, the first of the operation and status. */
function caseOf({ origin, request, expected }) {
  const cases = CASES.filter(
    ({ operation, status }) =>
      operation.path === origin.resourceName &&
      operation.method === request.method &&
      String(status) === String(expected.statusCode),
  );
  const example = cases.find(({ code }) => code !== null && expected.body?.includes(`"${code}"`));
  return example ?? cases[0];
}

hooks.beforeEach((transaction, done) => {
  const one = caseOf(transaction);
  // What cannot be had by a request: a service that fails, is full, or is stopping.
  transaction.skip = !one;
  if (!one) return done();
  one
    .arrange(stage)
    .then((call) => {
      transaction.fullPath = targetOf(one, call);
      transaction.request.uri = transaction.fullPath;
      transaction.request.headers = { ...call.headers };
      transaction.request.body = call.body ?? '';
      done();
    })
    .catch((error) => {
      transaction.fail = `cannot be set up: ${error.message}`;
      done();
    });
});

// JSON is UTF-8 whether or not that is said (RFC 8259, section 11); Dredd compares the whole header.
hooks.beforeEachValidation((transaction, done) => {
  const { headers } = transaction.real;
  if (headers['content-type']) headers['content-type'] = headers['content-type'].replace(/; ?charset=utf-8$/i, '');
  done();
});

hooks.afterAll((transactions, done) => {
  const failed = transactions.filter(({ test }) => test && ['fail', 'error'].includes(test.status));
  const judged = failed.map(({ name, test }) => ({
    name,
    message: String(test.message ?? JSON.stringify(test.errors)),
  }));
  writeFileSync(process.env.PEERS_OUT, JSON.stringify(judged));
  done();
});
