import { until } from '../../../test-kit/until.ts'
import type { Bench } from './bench.ts'
import { type Case, overGood, wordsOf } from './case.ts'

const missing = (name: string, image: string, message: RegExp, hint: RegExp, probe?: string): Case =>
  overGood(
    name,
    { from: { image } },
    { code: 'image_not_found', step: 'build', message, hint },
    probe === undefined ? {} : { probe },
  )

/** Images of the lab's registry. */
export const imageCases = (registry: string): Case[] => [
  missing(
    'image: a tag that is not there',
    `${registry}/nosuch:1`,
    /registry has no image/,
    /name and the tag/,
    'update good to missing image',
  ),
  missing('image: a registry that does not answer', 'registry.invalid/app:1', /cannot be reached/, /load the image/),
  missing(
    'image: a name that belongs to builds',
    'slipway.invalid/prj-x:1',
    /not the name of an image/,
    /as its registry does/,
  ),
  {
    name: 'first: an image that is not there',
    probe: 'create image missing',
    async run(bench, slug) {
      const projectId = await bench.project(slug)
      const seen = await bench.deploy(projectId, { from: { image: `${registry}/nosuch:2` } })
      const wrong = { code: 'image_not_found', step: 'build', message: /registry has no image/, hint: /the tag/ }
      return [
        ...(await wordsOf(bench, seen, wrong)),
        ...((await bench.service(projectId)) ? ['a service is left'] : []),
      ]
    },
  },
  pinned(registry),
]

/** A tag that moves: a deployment takes what it means now, a rollback what it meant then. */
const pinned = (registry: string): Case => ({
  name: 'image: a tag that moves, and going back',
  async run(bench, slug) {
    const image = `${registry}/${slug}:1`
    const projectId = await bench.project(slug)
    const release = async (version: string) => {
      await publish(bench, image, version)
      await forget(bench, image)
      return bench.deploy(projectId, { from: { image }, config: { port: 3000 } })
    }
    try {
      const one = await release('one')
      if (one.status !== 'ready') return [`the first is ${one.status}: ${JSON.stringify(one.error)}`]
      const first = (await bench.site.visit(slug)).text
      const two = await release('two')
      const second = (await bench.site.visit(slug)).text
      await forget(bench, image)
      const again = await bench.site.ask('POST', `/api/deployments/${one.id}/rollback`)
      const back = await bench.end(again.deployment_id)
      const third = (await bench.site.visit(slug)).text
      return [
        ...[one, two, back].flatMap((seen) =>
          seen.status === 'ready' ? [] : [`one is ${seen.status}: ${JSON.stringify(seen.error)}`],
        ),
        ...(one.services[0]?.image?.includes('@sha256:') ? [] : [`it runs ${one.services[0]?.image}`]),
        ...(`${first} ${second} ${third}` === 'one two one' ? [] : [`it answered ${first}, ${second}, ${third}`]),
      ]
    } finally {
      // The engine keeps an image as long as a container has it.
      await stop(bench, projectId)
      await forget(bench, image)
    }
  },
})

/** A new image under the name, in the registry alone. */
async function publish({ docker }: Bench, image: string, version: string): Promise<void> {
  // Small, so that pushing it takes no time.
  const serve = `mkdir -p /www && printf ${version} > /www/index.html && exec httpd -f -p 3000 -h /www`
  const made = await docker.createContainer({ Image: 'busybox:1', Entrypoint: ['sh'], Cmd: ['-c', serve] })
  const [repo = '', tag = ''] = [image.slice(0, image.lastIndexOf(':')), image.slice(image.lastIndexOf(':') + 1)]
  await made.commit({ repo, tag })
  await made.remove()
  const pushing = await docker.getImage(image).push({ authconfig: {} })
  await new Promise((done, fail) => docker.modem.followProgress(pushing, (error) => (error ? fail(error) : done(null))))
}

async function stop({ site, docker }: Bench, projectId: string): Promise<void> {
  const { data } = await site.ask('GET', `/api/deployments?projectId=${projectId}`)
  const active = data.find((one: { active: boolean }) => one.active)
  if (active) await site.ask('DELETE', `/api/deployments/${active.id}?force=true`)
  const label = [`slipway.project=${projectId}`]
  await until(
    'its containers go',
    60_000,
    async () => (await docker.listContainers({ all: true, filters: { label } })).length === 0,
  )
}

/** Takes it from the engine where nothing uses it. */
async function forget({ docker }: Bench, image: string): Promise<void> {
  const repository = image.slice(0, image.lastIndexOf(':'))
  const all = await docker.listImages({ filters: { reference: [repository] } })
  for (const { Id } of all)
    await docker
      .getImage(Id)
      .remove({ force: true })
      .catch(() => {})
}
