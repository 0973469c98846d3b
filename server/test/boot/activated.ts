/** A server as systemd starts it: it is told its own number together with what listens for it. */
process.env.LISTEN_PID = String(process.pid)
await import('../../src/main.ts')
