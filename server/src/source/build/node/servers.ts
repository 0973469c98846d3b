/** Libraries that make a package a server; the name is all that is known of it. Those built on others first. */
const SERVERS: [slug: string, packages: string[]][] = [
  ['nestjs', ['@nestjs/core']],
  ['elysia', ['elysia']],
  ['fastify', ['fastify']],
  ['hono', ['hono']],
  ['express', ['express']],
  ['koa', ['koa']],
  ['hapi', ['@hapi/hapi']],
  ['h3', ['h3']],
  ['polka', ['polka']],
]

export function serverLibrary(dependencies: ReadonlyMap<string, string>): { slug: string; package: string } | null {
  for (const [slug, packages] of SERVERS) {
    const found = packages.find((name) => dependencies.has(name))
    if (found !== undefined) return { slug, package: found }
  }
  return null
}

const STEMS = ['server', 'index', 'app', 'main']
const ENDINGS = ['js', 'mjs', 'cjs', 'ts', 'mts']

/** Where a server without a start script begins, the likeliest first. */
export const ENTRIES: string[] = ['', 'src/'].flatMap((folder) =>
  STEMS.flatMap((stem) => ENDINGS.map((ending) => `${folder}${stem}.${ending}`)),
)

export type Listening = { port: number; fixed: boolean; local: boolean }

/** The port that a server's own text names. `fixed`: it does not ask the environment. */
export function listeningIn(text: string): Listening | null {
  const local =
    /\.listen\([^;\n]{0,200}['"](?:localhost|127\.0\.0\.1)['"]|\bhost(?:name)?\s*:\s*['"](?:localhost|127\.0\.0\.1)['"]/.test(
      text,
    )
  const asked = /\bPORT\b['"]?\]?\)?\s*(?:\|\||\?\?)\s*['"]?(\d{2,5})/.exec(text)?.[1]
  if (asked !== undefined) return { port: Number(asked), fixed: false, local }
  if (/\bprocess\.env\.PORT\b|\benv\.PORT\b/.test(text)) return null
  const said = /\.listen\(\s*(?:\{[^{}]{0,100}?\bport\s*:\s*)?(\d{2,5})/.exec(text)?.[1]
  const named = /\b(?:const|let|var)\s+port\s*=\s*(\d{2,5})/i.exec(text)?.[1]
  const port = said ?? named ?? /\bport\s*:\s*(\d{2,5})/.exec(text)?.[1]
  return port === undefined ? null : { port: Number(port), fixed: true, local }
}
