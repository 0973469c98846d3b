import { bootVps } from '../../../lab/vps/boot.ts'
import { app, GOOD } from '../../../test-kit/sample-app.ts'
import { visit } from '../../../test-kit/visit.ts'
import { bring, install } from './bring.ts'
import type { InstallWorld } from './deployed.ts'
import { differences, footprint } from './footprint.ts'
import { platformOn } from './platform.ts'

/** A server that somebody runs already: nginx has port 80, and its visitors notice nothing. */
export async function besideNginx({ authority, published, faults }: InstallWorld): Promise<string> {
  const vps = await bootVps(2, 'trixie', 2048)
  try {
    await vps.run(['apt-get', 'install', '--yes', '--no-install-recommends', 'nginx-light'])
    await vps.run(['systemctl', 'enable', '--now', 'nginx'])
    bring(vps, published, authority)
    const files = () => footprint(vps.root, ['etc/nginx', 'var/www', 'usr/sbin/nginx'])
    const before = files()
    const visitors = visiting(vps.address)
    const { token, said } = await install(vps, authority)
    const platform = platformOn(vps, token)
    const project = await platform.project('beside')
    const { status } = await platform.ended(await platform.deploy(project, app(GOOD)))
    const answer = await visit({ address: vps.address, port: 8080 }, 'beside.apps.test')
    const { asked, lost } = await visitors.stop()
    const changed = differences(before, files())
    if (status !== 'ready' || answer.text !== 'version 1')
      faults.push(`beside nginx: ${status}, ${answer.status} ${answer.text}`)
    if (lost > 0 || asked < 100) faults.push(`beside nginx: ${lost} of ${asked} of its requests were lost`)
    if (changed.length > 0) faults.push(`beside nginx: ${changed.join(', ')}`)
    if (!said.includes('proxy_pass http://127.0.0.1:8080'))
      faults.push('beside nginx: what to write into it was not said')
    return `beside nginx: 0 of its ${before.size} files changed, ${lost} of ${asked} of its requests lost, the project answers behind it`
  } finally {
    await vps.remove()
  }
}

/** One visitor after the other. */
function visiting(address: string) {
  let [asked, lost, going] = [0, 0, true]
  const all = (async () => {
    while (going) {
      asked += 1
      const { status } = await visit({ address, port: 80 }, 'mine.example').catch(() => ({ status: 0 }))
      if (status !== 200) lost += 1
      await new Promise((next) => setTimeout(next, 50))
    }
  })()
  return {
    async stop() {
      going = false
      await all
      return { asked, lost }
    },
  }
}
