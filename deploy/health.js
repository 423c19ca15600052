// Whether the service in this container answers requests: what an image without a shell asks its operator’s port with.
fetch('http://127.0.0.1:9090/readyz').then(
  (answer) => process.exit(answer.ok ? 0 : 1),
  () => process.exit(1),
);
