import { engineAt } from '../../../test-kit/engine.ts'

/** Images that each serve a page with their own name: the smallest thing that can be told apart once it runs. */
export async function makeVersions(socketPath: string, count: number) {
  const docker = engineAt(socketPath)
  const repo = `versions.invalid/p${process.pid}`
  const names: string[] = []
  for (let n = 1; n <= count; n++) {
    // The engine writes the host name into a file; a copy of it is the page.
    const container = await docker.createContainer({
      Image: 'busybox:1',
      Hostname: `version-${n}`,
      Cmd: ['cp', '/etc/hostname', '/index.html'],
    })
    try {
      await container.start()
      await container.wait()
      const changes = ['CMD ["httpd", "-f", "-p", "8080", "-h", "/"]', 'EXPOSE 8080']
      await container.commit({ repo, tag: `v${n}`, changes: changes.join('\n') })
      names.push(`${repo}:v${n}`)
    } finally {
      await container.remove({ force: true })
    }
  }
  return {
    names,
    async remove() {
      for (const name of names)
        await docker
          .getImage(name)
          .remove({ force: true })
          .catch(() => {})
    },
  }
}
