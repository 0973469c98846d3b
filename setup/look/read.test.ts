import { expect, test } from 'vitest'
import { readEngine } from './engine.ts'
import { readListeners } from './ports.ts'
import { readOs } from './system.ts'

test('who listens on a port is known by the name of the program', () => {
  const text = `LISTEN 0      511          0.0.0.0:80        0.0.0.0:*    users:(("nginx",pid=812,fd=6),("nginx",pid=811,fd=6))
LISTEN 0      128             [::]:22           [::]:*    users:(("sshd",pid=600,fd=4))
LISTEN 0      4096       127.0.0.1:4600      0.0.0.0:*
`
  expect(readListeners(text)).toEqual({ 80: 'nginx', 22: 'sshd', 4600: 'another program' })
})

test('the system is known by its own file, quoted or not', () => {
  expect(readOs('PRETTY_NAME="Ubuntu 24.04 LTS"\nID=ubuntu\nVERSION_ID="24.04"\n')).toEqual({
    id: 'ubuntu',
    version: '24.04',
    name: 'Ubuntu 24.04 LTS',
  })
  expect(readOs('')).toEqual({ id: 'unknown', version: '', name: 'unknown' })
})

test('an engine tells what it is, what it cannot limit, and whether it is in a Swarm', () => {
  const info = {
    ServerVersion: '26.1.5+dfsg1',
    ContainersRunning: 3,
    DockerRootDir: '/var/snap/docker/common/var-lib-docker',
    LiveRestoreEnabled: true,
    MemoryLimit: false,
    SecurityOptions: ['name=seccomp', 'name=rootless'],
    Swarm: { LocalNodeState: 'active', ControlAvailable: true, Nodes: 2 },
  }
  expect(readEngine(true, info, null)).toEqual({
    installed: true,
    answers: true,
    version: '26.1.5+dfsg1',
    containers: 3,
    snap: true,
    rootless: true,
    liveRestore: true,
    lacks: ['memory'],
    swarm: { state: 'active', manager: true, nodes: 2 },
    buildx: null,
  })
})
