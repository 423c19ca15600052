module.exports = ({ env }) => ({
  connection: {
    client: 'sqlite',
    connection: { filename: `${env('NINEFOLD_BENCH_DATA')}/strapi.sqlite` },
    useNullAsDefault: true,
  },
});
