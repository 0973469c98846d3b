import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A package whose code is in a release. */
export type Package = { name: string; version: string; license: string; dir: string }

/** The packages that these files came from; none of the workspace's own. */
export function packagesOf(modules: string[]): Package[] {
  const dirs = new Set(modules.map((file) => file.replace(/^\0+/, '')).flatMap((file) => homeOf(file) ?? []))
  const found = [...dirs].map((dir) => {
    const { name, version, ...more } = JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8'))
    return { name, version, license: licenseOf(name, more), dir }
  })
  const byName = (a: Package, b: Package) => (`${a.name}@${a.version}` < `${b.name}@${b.version}` ? -1 : 1)
  const once = new Map(found.map((one) => [`${one.name}@${one.version}`, one]))
  return [...once.values()].toSorted(byName)
}

/** The folder of the package that a file is part of: the nearest whose package.json has a version. */
function homeOf(file: string): string | undefined {
  if (!file.includes('/node_modules/')) return undefined
  for (let dir = dirname(file); !dir.endsWith('/node_modules'); dir = dirname(dir)) {
    const own = join(dir, 'package.json')
    if (existsSync(own) && JSON.parse(readFileSync(own, 'utf8')).version !== undefined) return dir
  }
  return undefined
}

type Licensed = { license?: string | { type: string }; licenses?: { type: string }[] }

/** Older packages say it in older ways. */
function licenseOf(name: string, { license, licenses }: Licensed): string {
  const said = typeof license === 'object' ? license.type : (license ?? licenses?.map(({ type }) => type).join(' OR '))
  if (said) return said
  throw new Error(`${name} does not say under which license it is: nothing of it may be given on.`)
}

/** What must be given on with the code: licenses and notices, as each package has them. */
export function noticesOf(packages: Package[]): string {
  const parts = packages.map(({ name, version, license, dir }) => {
    const texts = readdirSync(dir)
      .filter((file) => /^(licen[cs]e|notice|copying)(\.|-|$)/i.test(file))
      .toSorted()
      .map((file) => readFileSync(join(dir, file), 'utf8').trim())
    return [`${name} ${version} (${license})`, '', ...texts].join('\n')
  })
  return `${parts.join('\n\n----------------------------------------\n\n')}\n`
}

/** CycloneDX, without what would differ between two builds of one commit. */
export function billOfMaterials(packages: Package[], release: { version: string; node: string }): string {
  const component = (one: { name: string; version: string; license: string }, type = 'library') => ({
    type,
    name: one.name,
    version: one.version,
    'bom-ref': `${one.name}@${one.version}`,
    licenses: [{ expression: one.license }],
    ...(type === 'library' && { purl: `pkg:npm/${one.name.replace('@', '%40')}@${one.version}` }),
  })
  const slipway = component({ name: 'slipway', version: release.version, license: 'Apache-2.0' }, 'application')
  const node = component({ name: 'node', version: release.node, license: 'MIT' }, 'platform')
  const bill = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: slipway },
    components: [node, ...packages.map((one) => component(one))],
  }
  return `${JSON.stringify(bill, null, 2)}\n`
}
