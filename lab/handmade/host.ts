import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { daemonCalled } from '../group.ts'
import { runInside } from '../machine.ts'
import type { HostName } from '../parts/hosts.ts'
import { stateDir } from '../paths.ts'
import { tool } from '../tools.ts'

/** Where people keep their stacks; a machine of the lab shares these with whoever runs it until they are covered. */
const FOLDERS = ['/srv', '/opt', '/home', '/root']

/** A server as it is before anybody manages it: its own folders, and docker by hand. */
export type HandmadeHost = {
  name: HostName
  docker(...args: string[]): Promise<string>
  /** Variables of the shell that starts it. */
  compose(variables: Record<string, string>, ...args: string[]): Promise<string>
  put(path: string, text: string | Buffer): void
  link(target: string, path: string): void
  move(from: string, to: string): void
  remove(path: string): void
  /** A path of the machine as this process reaches it. */
  outside(path: string): string
}

/** Covers the folders of the machine with empty ones of its own, once. */
export async function openHandmade(name: HostName): Promise<HandmadeHost> {
  const pid = daemonCalled(name, 'tini-static')
  if (pid === undefined) throw new Error(`${name} is not running: run bin/lab up hosts`)
  const covered = readFileSync(`/proc/${pid}/mounts`, 'utf8')
  for (const folder of FOLDERS)
    if (!covered.includes(` ${folder} tmpfs `))
      await runInside(name, 'mount', '--no-mtab', '-t', 'tmpfs', 'tmpfs', folder)
  const outside = (path: string) => join(`/proc/${pid}/root`, path)
  const docker = (variables: string[], ...args: string[]) =>
    runInside(name, 'env', `DOCKER_CONFIG=${join(stateDir, 'docker-config')}`, ...variables, tool('docker'), ...args)
  return {
    name,
    outside,
    docker: (...args) => docker([], ...args),
    compose: (variables, ...args) =>
      docker(
        Object.entries(variables).map(([key, value]) => `${key}=${value}`),
        'compose',
        ...args,
      ),
    put(path, text) {
      mkdirSync(dirname(outside(path)), { recursive: true })
      writeFileSync(outside(path), text)
    },
    link: (target, path) => symlinkSync(target, outside(path)),
    move: (from, to) => renameSync(outside(from), outside(to)),
    remove: (path) => rmSync(outside(path), { recursive: true, force: true }),
  }
}
