export type Files = Record<string, string>

/** A small Node application that listens where it is told, by what it does. */
export const app = (body: string, version = 1): Files => ({
  'package.json': JSON.stringify({ name: 'app', private: true, scripts: { start: 'node server.js' } }),
  'server.js': `const version = ${version}\n${body}\n`,
})

export const GOOD = `require('node:http').createServer((q, r) => r.end('version ' + version)).listen(process.env.PORT)`
