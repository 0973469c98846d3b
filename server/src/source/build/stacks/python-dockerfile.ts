import type { Answer, Choices } from '../detection.ts'
import { cmd, copy, env, healthcheck, lines, run, workdir } from '../dockerfile.ts'
import type { Dependencies } from './python-dependencies.ts'

export type PythonInstall = Dependencies & { version: string; adds: string[] }

/** Without a compiler and its headers these cannot be installed, nor run without their library. */
const COMPILED = ['psycopg2', 'mysqlclient', 'python-ldap', 'pycairo']
const VENV = '/app/.venv'

/** A virtual environment made in one stage and copied whole into the other. */
export function pythonDockerfile(
  install: PythonInstall,
  answer: Pick<Answer, 'buildCommand' | 'startCommand'>,
  choices: Choices,
): string {
  const { secrets } = choices
  const port = choices.port ?? 8000
  const build = choices.buildCommand ?? answer.buildCommand
  const image = `python:${install.version}${COMPILED.some((name) => install.names.has(name)) ? '' : '-slim'}`
  const caches = [{ id: 'pip', target: '/cache/pip' }]
  const command = choices.installCommand ?? install.command
  const tool =
    install.manager === null || install.manager === 'pip' ? [] : [run(`pip install ${install.manager}`, { caches })]
  return lines(
    `FROM ${image} AS build`,
    workdir('/app'),
    env({
      PIP_CACHE_DIR: '/cache/pip',
      PIP_DISABLE_PIP_VERSION_CHECK: 1,
      PYTHONDONTWRITEBYTECODE: 1,
      ...settingsOf(install),
    }),
    ...tool,
    run(`python -m venv ${VENV}`),
    env({ VIRTUAL_ENV: VENV, PATH: `${VENV}/bin:$PATH` }),
    install.files.length > 0 && choices.installCommand === undefined && copy(install.files, './'),
    choices.installCommand !== undefined && 'COPY . .',
    command !== null && run(command, { caches, secrets }),
    install.adds.length > 0 && run(`${VENV}/bin/pip install ${install.adds.join(' ')}`, { caches }),
    choices.installCommand === undefined && 'COPY . .',
    build !== null && run(build, { secrets }),
    '',
    `FROM ${image}`,
    workdir('/app'),
    env({ PYTHONUNBUFFERED: 1, PORT: port, PATH: `${VENV}/bin:$PATH` }),
    copy(['/app'], './', { from: 'build', chown: '1000:1000' }),
    'USER 1000',
    `EXPOSE ${port}`,
    healthcheck([
      'python',
      '-c',
      "import os, socket; socket.create_connection(('127.0.0.1', int(os.environ['PORT'])), 3)",
    ]),
    cmd(choices.startCommand ?? answer.startCommand ?? 'python main.py'),
  )
}

/** Each tool must take the environment that is there and keep its downloads in the cache. */
function settingsOf({ manager }: Dependencies): Record<string, string | number> {
  if (manager === 'uv') return { UV_CACHE_DIR: '/cache/pip', UV_LINK_MODE: 'copy', UV_PROJECT_ENVIRONMENT: VENV }
  if (manager === 'poetry')
    return { POETRY_VIRTUALENVS_IN_PROJECT: 'true', POETRY_CACHE_DIR: '/cache/pip', POETRY_NO_INTERACTION: 1 }
  if (manager === 'pipenv') return { PIPENV_VENV_IN_PROJECT: 1, PIPENV_CACHE_DIR: '/cache/pip' }
  return {}
}
