import { describe, expect, test } from 'vitest'
import { allExamples, faultsOf, treeOf } from '../../../../test-kit/examples.ts'
import { judge } from '../../drivers/builder/dockerfile/images.ts'
import { detect } from './detect.ts'
import { type Detection, dockerfileOf, type Found } from './detection.ts'

const examples = allExamples()
const detected = new Map<string, Detection>()
for (const { name, files } of examples) detected.set(name, await detect(treeOf(files)))

const shown = (one: Found) => ({ ...one, dockerfile: dockerfileOf(one) })

test.for(examples.map((example) => [example.name, example] as const))(
  '%s is what its test.json says',
  ([name, { test: expected }]) => {
    const { services, ...found } = detected.get(name) as Detection
    expect(faultsOf(expected, { ...shown(found), services: services.map(shown) })).toEqual([])
  },
)

test('every strategy and every promised stack has an example', () => {
  const all = [...detected.values()].flatMap((one) => [one, ...one.services])
  const of = (field: 'strategy' | 'language' | 'framework' | 'packageManager') => new Set(all.map((one) => one[field]))
  expect(examples.length).toBeGreaterThanOrEqual(45)
  expect([...of('strategy')].sort()).toEqual(['compose', 'dockerfile', 'monorepo', 'server', 'static'])
  for (const language of 'javascript typescript python go rust php ruby java csharp elixir html'.split(' ')) {
    expect(of('language')).toContain(language)
  }
  const frameworks =
    'nextjs nuxtjs remix react-router sveltekit astro vite create-react-app angular vue gatsby eleventy docusaurus express fastify nestjs hono koa flask django fastapi laravel rails sinatra spring-boot aspnetcore phoenix gin axum'
  for (const framework of frameworks.split(' ')) expect(of('framework')).toContain(framework)
  const managers = 'npm pnpm yarn bun pip uv poetry pipenv go cargo composer bundler maven gradle nuget mix'
  for (const manager of managers.split(' ')) expect(of('packageManager')).toContain(manager)
})

describe('generated Dockerfiles', () => {
  const texts = [...detected]
    .flatMap(([name, { services, ...found }]) => [
      [name, found as Found] as const,
      ...services.map((service) => [`${name} ${service.name}`, service] as const),
    ])
    .flatMap(([name, found]) => {
      const text = dockerfileOf(found)
      return text === null ? [] : [[name, text] as const]
    })

  test.for(texts)('%s', ([, text]) => {
    expect(text).toMatchSnapshot()
  })

  test.for(texts)('%s ends as an ordinary user with a port, a health check and a command', ([, text]) => {
    const last = text.slice(text.lastIndexOf('\nFROM '))
    expect(last).toMatch(/^USER (?:1000|www-data)$/m)
    expect(last).toMatch(/^EXPOSE \d+$/m)
    expect(last).toMatch(/^HEALTHCHECK .*CMD \[/m)
    expect(last).toMatch(/^CMD \[.*\]\n$/m)
    expect(judge(text, {}, 'none')).toMatchObject({ addresses: [] })
  })
})
