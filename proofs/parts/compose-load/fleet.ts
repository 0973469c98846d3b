import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Files } from '../../../test-kit/sample-app.ts'
import type { Ledger } from '../ledger.ts'

/** Four that are asked from outside without a pause, one that only others would ask, and one that keeps data. */
export const LOADED = ['web', 'api', 'search', 'cart'] as const
export const KEEPER = 'store'
export const NAMES = [...LOADED, 'mail', KEEPER] as const
export type Loaded = (typeof LOADED)[number]
export type Name = (typeof NAMES)[number]

export type Versions = Record<Name, string>
/** `crashes` and `sick` never come up; `falls` serves well for a while, and ends again and again. */
export type Manner = 'drains' | 'crashes' | 'sick' | 'falls'
const FALLS_AFTER_MS = 10_000

export const all = (version: string): Versions => Object.fromEntries(NAMES.map((name) => [name, version])) as Versions

const AFTER: Partial<Record<Name, Name[]>> = { web: ['api'], api: [KEEPER], cart: [KEEPER], mail: ['search'] }
const portOf = (name: Name) => 8101 + NAMES.indexOf(name)

const here = import.meta.dirname
const SHOP = readFileSync(join(here, '../apps/shop.mjs'), 'utf8')
const KEEPS = readFileSync(join(here, 'keeper.mjs'), 'utf8')

/** The source of one version of the stack: each service is built from a folder of its own. */
export function fleetFiles(
  versions: Versions,
  manners: Partial<Record<Name, Manner>>,
  ledgers: Record<Loaded, Ledger['address']>,
): Files {
  const files: Files = { 'compose.yaml': `services:\n${NAMES.map(serviceText).join('')}volumes:\n  data: {}\n` }
  for (const name of NAMES) {
    const ledger = ledgers[name as Loaded] ?? ledgers.web
    const settings = {
      version: versions[name],
      manner: manners[name] ?? 'drains',
      ledger,
      fallsAfterMs: FALLS_AFTER_MS,
    }
    files[`${name}/Dockerfile`] = 'FROM node:24-slim\nWORKDIR /app\nCOPY . .\nCMD ["node", "app.mjs"]\n'
    files[`${name}/app.mjs`] = name === KEEPER ? KEEPS : SHOP
    files[`${name}/settings.json`] = JSON.stringify(settings)
  }
  return files
}

function serviceText(name: Name): string {
  const after = (AFTER[name] ?? []).map((other) => `      ${other}: { condition: service_healthy }\n`).join('')
  return [
    `  ${name}:`,
    `    build: ./${name}`,
    '    environment:',
    `      PORT: ${portOf(name)}`,
    `    expose: ["${portOf(name)}"]`,
    ...(name === KEEPER ? ['    volumes: ["data:/data"]'] : []),
    ...(after === '' ? [] : [`    depends_on:\n${after.trimEnd()}`]),
    '',
  ].join('\n')
}

const healthcheck = { path: '/healthz', intervalMs: 2000, startPeriodMs: 10_000 }

/** What the project says about them, and a host name for each that is asked from outside. */
export const fleetOrder = (domain: string) => ({
  services: NAMES.map((name) => ({ name, port: portOf(name), healthcheck })),
  publicEndpoints: [...LOADED, KEEPER].map((name) => ({
    port: portOf(name as Name),
    domainType: 'custom',
    customDomain: hostOf(name as Name, domain),
  })),
})

export const hostOf = (name: Name, domain: string) => `${name}.${domain}`
