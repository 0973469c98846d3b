import { existsSync } from 'node:fs'

/** Platforms that are known by a folder of theirs. None of it is ever touched. */
const PLATFORMS = {
  Coolify: '/data/coolify',
  Dokploy: '/etc/dokploy',
  CapRover: '/captain',
  Dokku: '/home/dokku',
  k3s: '/etc/rancher/k3s',
}

export const lookForPlatforms = (): string[] =>
  Object.entries(PLATFORMS)
    .filter(([, folder]) => existsSync(folder))
    .map(([name]) => name)
