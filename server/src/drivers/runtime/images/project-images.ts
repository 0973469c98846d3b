import type Docker from 'dockerode'
import type { ImageAnswer } from '../../engine/answers.ts'
import { callEngine } from '../../engine/ask.ts'

/** The names, with their tags, that images have in a repository on this engine. */
export async function imagesIn(docker: Docker, repository: string, signal: AbortSignal): Promise<string[]> {
  const query = { filters: { reference: [repository] } }
  const found = await callEngine<ImageAnswer[]>(docker, { path: '/images/json', query }, signal)
  const names = found.flatMap(({ RepoTags }) => RepoTags ?? [])
  return names.filter((name) => name.startsWith(`${repository}:`))
}
