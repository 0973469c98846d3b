/**
 * Node's HTTP client for an address. Not by `import`: that reads whatever the module offers, `WebSocket` among it, and Node loads all of
 * its fetch for that, which takes as long again as a whole command.
 */
export const httpFor = ({ protocol }: URL): typeof import('node:http') | typeof import('node:https') =>
  process.getBuiltinModule(protocol === 'https:' ? 'node:https' : 'node:http')
