import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Ground } from './ground.ts'
import type { Victim } from './victim.ts'

/** Images that an attacker pushes to a registry and then names: what they say takes effect where they are used. */
export async function pushEvilImages({ folder, registry, docker, hostFolder }: Ground, victim: Victim): Promise<void> {
  const labels = ['instance', 'project', 'deployment', 'role', 'edge.name', 'edge.instance', 'service']
  const images: Record<string, string[]> = {
    'onbuild-copy': [`ONBUILD COPY --from=${victim.image.tag} /secret-in-image /stolen`],
    'onbuild-cache': ['ONBUILD RUN --mount=type=cache,id=shared,target=/c cat /c/secret'],
    'onbuild-cache-of-project': [
      `ONBUILD RUN --mount=type=cache,id=${victim.project}/shared,target=/c cat /c/secret || true`,
    ],
    'onbuild-mount': [`ONBUILD RUN --mount=type=bind,from=${victim.image.tag},target=/v cat /v/secret-in-image`],
    'onbuild-add': [`ONBUILD ADD ${hostFolder}/secret /stolen`],
    expose: ['EXPOSE 10000-29999'],
    labels: [`LABEL ${labels.map((label) => `slipway.${label}=${victim.project}`).join(' ')}`],
    volume: [`VOLUME /var/lib/docker ${hostFolder} /data /run/secrets`],
  }
  for (const [name, lines] of Object.entries(images)) {
    const context = join(folder, `evil-${name}`)
    mkdirSync(context)
    writeFileSync(join(context, 'Dockerfile'), `${['FROM busybox:1', ...lines].join('\n')}\n`)
    const tag = `${registry}/evil/${name}:1`
    await docker('build', '--tag', tag, context)
    await docker('push', tag)
  }
}
