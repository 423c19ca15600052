// Starts Strapi on a free port, and says where it listens.
const { create } = require('./app.js');

create()
  .start()
  .then((strapi) => {
    strapi.server.httpServer.keepAliveTimeout = 60_000;
    console.log(`Orders at http://127.0.0.1:${strapi.server.httpServer.address().port}`);
  });
