import type { Call, Command } from '../../command.ts'
import { EXIT } from '../../failure.ts'
import { asFailure } from '../../instance/as-failure.ts'
import { isUnderstood } from '../../instance/compare-versions.ts'
import type { Instance } from '../../instance/instance.ts'
import { findFolder } from '../../instance/link.ts'
import { listed } from '../../instance/pages.ts'
import { findProject, namedProject } from '../../instance/project.ts'
import { duration, since, until } from '../../show/words.ts'
import { VERSION } from '../../version.ts'
import { reportWords } from '../machines/servers.ts'

type Check = { name: string; ok: boolean | null; found: string; fix?: string; exit?: number }

/** Looks at everything between this computer and a running project. Its exit code is that of the first thing that is wrong. */
export const doctor: Command<'doctor'> = async (call) => {
  const { out } = call
  const checks: Check[] = []
  const look = async (name: string, work: () => Promise<Omit<Check, 'name'> | Check[]>) => {
    const found = await work().catch((error: unknown) => {
      if (call.signal.aborted) throw error
      const { message, hint, exit } = asFailure(error)
      return { ok: false, found: message, ...(hint && { fix: hint }), exit }
    })
    const list = Array.isArray(found) ? found : [{ name, ...found }]
    checks.push(...list)
    return list.every(({ ok }) => ok !== false)
  }
  await look('this computer', async () => ({ ok: true, found: `slipway ${VERSION}, Node ${process.versions.node}` }))
  let instance: Instance | undefined
  const reached = await look('instance', async () => {
    instance = await call.instance()
    return theInstance(instance)
  })
  if (reached && instance) {
    const known = instance
    if (await look('credential', () => credential(known))) {
      await look('servers', () => servers(known))
      await look('backup', () => backup(known))
      await look('folder', () => folder(call, known))
    }
  }
  const marks = (ok: boolean | null) => (ok === null ? ' ' : ok ? out.paint('green', '✓') : out.paint('red', '✗'))
  out.result({ success: checks.every(({ ok }) => ok !== false), version: VERSION, checks }, () =>
    checks.flatMap(({ name, ok, found, fix }) => [
      `${marks(ok)} ${name.padEnd(14)} ${found}`,
      ...(fix ? [`  ${' '.repeat(14)} ${fix}`] : []),
    ]),
  )
  const wrong = checks.find(({ ok }) => ok === false)
  return wrong === undefined ? EXIT.ok : (wrong.exit ?? EXIT.actionRequired)
}

async function theInstance({ api, url }: Instance): Promise<Omit<Check, 'name'>> {
  const begun = performance.now()
  const { version, cli } = await api.operations.instance()
  const found = `${url}  ${version}, answers in ${duration(performance.now() - begun)}`
  if (!isUnderstood(VERSION, cli))
    return {
      ok: false,
      found,
      fix: `It understands this command line from ${cli.least} on: install ${cli.newest}.`,
      exit: EXIT.usage,
    }
  const ready = await api.operations.readyz()
  const wrong = Object.entries(ready.checks).filter(([, { ok }]) => !ok)
  return wrong.length === 0
    ? { ok: true, found }
    : { ok: false, found: `${found}; ${wrong.map(([name, { detail }]) => `${name}: ${detail}`).join(', ')}` }
}

async function credential({ api }: Instance): Promise<Omit<Check, 'name'>> {
  const { user, role, organization, credential } = await api.me.show()
  const ends = credential.expiresAt === null ? 'does not end' : `${until(credential.expiresAt)} left`
  return { ok: true, found: `${user.email}, ${role} of ${organization.name}, ${ends}` }
}

async function servers({ api }: Instance): Promise<Check[]> {
  const all = await listed((query) => api.servers.list({ query }))
  if (all.length === 0) return [{ name: 'servers', ok: false, found: 'none', fix: 'A deployment needs one.' }]
  return all.map(({ name, lastReport }) => ({
    name,
    ok: lastReport === null ? null : lastReport.ok,
    found: lastReport === null ? 'never looked at' : reportWords(lastReport),
    ...(lastReport?.ok !== true && { fix: `slipway servers check ${name}` }),
  }))
}

async function backup({ api }: Instance): Promise<Omit<Check, 'name'>> {
  const { backup: last, drill } = await api.operations.backups()
  if (last === null) return { ok: null, found: 'none of the platform is known of' }
  const when = (at: string | null) => (at === null ? 'unknown' : `${since(at)} ago`)
  return { ok: last.ok, found: `last ${when(last.at)}, drill ${drill === null ? 'never' : when(drill.at)}` }
}

async function folder(call: Call, instance: Instance): Promise<Omit<Check, 'name'>> {
  const here = findFolder(call.cwd)
  const named = await namedProject(call, instance, here)
  if (named === null) return { ok: null, found: 'of no project' }
  const { name } = await findProject(instance, named)
  return { ok: true, found: `of ${name}; .env files are not sent` }
}
