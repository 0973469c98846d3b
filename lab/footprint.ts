import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { hierarchies } from './hierarchies.ts'
import { cacheDir } from './paths.ts'
import { run } from './run.ts'
import { tool, toolEnv } from './tools.ts'

/** What a lab could leave on the machine. Other labs may come and go meanwhile: what is theirs is left out. */
export async function footprint(lab: { dir: string; id: string }): Promise<Record<string, string[]>> {
  const save = async (program: string, ...args: string[]) =>
    lines(await run([tool(program), ...args], { env: toolEnv() }))
  const own = (entry: string) => !/slw[0-9a-f]{6}|slipway.lab/.test(entry) || entry.includes(lab.id)
  const groups = hierarchies().flatMap(({ mountpoint }) =>
    readdirSync(mountpoint).map((name) => `${mountpoint}/${name}`),
  )
  return {
    processes: processesOf(lab),
    links: readdirSync('/sys/class/net').filter(own),
    mounts: lines(readFileSync('/proc/self/mountinfo', 'utf8')),
    run: readdirSync('/run'),
    groups: groups.filter(own),
    forwarding: lines(readFileSync('/proc/sys/net/ipv4/ip_forward', 'utf8')),
    tables: (await save('nft', 'list', 'tables')).filter(own),
    iptables: (await save('iptables-save')).map(withoutCounters).filter(own),
    ip6tables: (await save('ip6tables-save')).map(withoutCounters).filter(own),
  }
}

/** Found without the lab's own bookkeeping: by folder, by program, by control group. */
function processesOf(lab: { dir: string; id: string }): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const command = read(pid, 'cmdline').replaceAll('\0', ' ').trim()
      if (command === '' || command.includes('lab/main.ts')) return [] // gone, the kernel's, or a bin/lab at work
      const group = read(pid, 'cgroup')
      if (group.includes('slipway-lab-') && !group.includes(lab.id)) return []
      const places = [command, link(pid, 'cwd'), link(pid, 'fd/1')]
      const ours =
        group.includes(lab.id) ||
        (link(pid, 'exe').startsWith(cacheDir) && isForsaken(pid) && !isOfABrowser(command)) ||
        places.some((place) => place.includes(lab.dir))
      return ours ? [`${pid} ${command}`] : []
    })
}

/** Programs of the cache that a test of something else runs have a parent that sees to them; what a lab left has none. */
const isForsaken = (pid: string) => /^PPid:\s+[01]$/m.test(read(pid, 'status'))

/** No part of a lab: a test's browser starts its crash handlers without a parent, and they end with it. */
const isOfABrowser = (command: string) => command.includes('chrome_crashpad_handler')

function withoutCounters(line: string): string {
  return line.startsWith('#') ? '' : line.replace(/\[\d+:\d+\]/, '')
}

function lines(text: string): string[] {
  return text.trim().split('\n')
}

function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}

function link(pid: string, file: string): string {
  try {
    return readlinkSync(`/proc/${pid}/${file}`)
  } catch {
    return ''
  }
}
