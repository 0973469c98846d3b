import type { Look } from '../look.ts'

export type Dependencies = {
  manager: 'pip' | 'uv' | 'poetry' | 'pipenv' | null
  /** In lower case, as PyPI compares them. */
  names: ReadonlySet<string>
  command: string | null
  /** Copied before everything else. */
  files: string[]
  requires: string | null
  because: string | null
  warnings: string[]
}

type Pyproject = {
  project?: { dependencies?: unknown; 'requires-python'?: unknown }
  tool?: { poetry?: { dependencies?: Record<string, unknown> } }
}

/** Who installs and what, from whichever of the many files there is. */
export async function pythonDependencies(look: Look): Promise<Dependencies> {
  const pyproject = await look.toml<Pyproject>('pyproject.toml')
  const poetry = pyproject?.tool?.poetry
  const names = await namesOf(look, pyproject)
  const requires = textOf(pyproject?.project?.['requires-python']) ?? textOf(poetry?.dependencies?.python)
  const base = { names, requires, warnings: [] as string[] }
  const with_ = (manager: NonNullable<Dependencies['manager']>, command: string, files: string[], because: string) => ({
    ...base,
    manager,
    command,
    files,
    because,
  })
  if (look.has('uv.lock'))
    return with_(
      'uv',
      'uv sync --frozen --no-dev --no-install-project',
      ['pyproject.toml', 'uv.lock'],
      'the lock file is uv.lock',
    )
  if (look.has('poetry.lock') || poetry?.dependencies) {
    const locked = look.has('poetry.lock')
    const files = ['pyproject.toml', ...(locked ? ['poetry.lock'] : [])]
    const because = locked ? 'the lock file is poetry.lock' : 'pyproject.toml is written for Poetry'
    return {
      ...with_('poetry', 'poetry install --only main --no-root', files, because),
      warnings: unlocked(locked, 'poetry.lock'),
    }
  }
  if (look.has('Pipfile')) {
    const locked = look.has('Pipfile.lock')
    const command = locked ? 'pipenv sync' : 'pipenv install'
    const files = ['Pipfile', ...(locked ? ['Pipfile.lock'] : [])]
    return {
      ...with_('pipenv', command, files, 'the source has a Pipfile'),
      warnings: unlocked(locked, 'Pipfile.lock'),
    }
  }
  if (look.has('requirements.txt'))
    return with_('pip', 'pip install -r requirements.txt', ['requirements.txt'], 'the source has requirements.txt')
  if (pyproject?.project) {
    const one = with_('uv', 'uv pip install -r pyproject.toml', ['pyproject.toml'], 'pyproject.toml lists dependencies')
    return { ...one, warnings: unlocked(false, 'uv.lock') }
  }
  return { ...base, manager: null, command: null, files: [], because: null }
}

const unlocked = (locked: boolean, file: string) =>
  locked ? [] : [`Without ${file}, each build may install other versions.`]

async function namesOf(look: Look, pyproject: Pyproject | null): Promise<Set<string>> {
  const listed = Array.isArray(pyproject?.project?.dependencies) ? pyproject.project.dependencies : []
  const poetry = Object.keys(pyproject?.tool?.poetry?.dependencies ?? {})
  const lines = ((await look.text('requirements.txt')) ?? '').split('\n')
  const pipfile = await look.toml<{ packages?: Record<string, unknown> }>('Pipfile')
  const all = [
    ...listed.filter((line) => typeof line === 'string'),
    ...poetry,
    ...lines,
    ...Object.keys(pipfile?.packages ?? {}),
  ]
  const named = all.map((line) => /^[\s]*([A-Za-z0-9][\w.-]*)/.exec(line)?.[1]?.toLowerCase().replaceAll('_', '-'))
  return new Set(named.filter((name) => name !== undefined))
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : null)
