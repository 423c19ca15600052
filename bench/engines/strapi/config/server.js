module.exports = ({ env }) => ({
  host: '127.0.0.1',
  port: 0,
  app: { keys: ['not-a-secret', 'nor-this-one'] },
  dirs: { public: env('NINEFOLD_BENCH_DATA') },
  // Its own words of where it listens are of the port that was asked for, which is any.
  logger: { startup: { enabled: false }, updates: { enabled: false } },
});
