import { githost } from '@slipway/contract/githost'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { listBranches, listRepositories, showRepository } from '../../core/githost/browse.ts'
import { cloneToken } from '../../core/githost/clone-token.ts'
import { arrive } from '../../core/githost/connect/arrive.ts'
import { connect } from '../../core/githost/connect/connect.ts'
import { disconnect } from '../../core/githost/connect/disconnect.ts'
import { listFiles, readFile } from '../../core/githost/contents.ts'
import { addHook, listHooks, removeHook } from '../../core/githost/hooks.ts'
import { createRepository, removeRepository } from '../../core/githost/manage.ts'
import { githostHome, githostStatus, localStatus, pollAttempt } from '../../core/githost/status.ts'
import type { Platform } from '../../core/platform.ts'
import { aborted } from '../abort-on-disconnect.ts'
import { githostPage, githostPageHeaders } from '../pages/githost-page.ts'
import { visitorOf } from '../pages/visitor.ts'
import { on, type Route } from '../route.ts'

export const githostRoutes = (platform: Platform): Route[] => [
  on(githost.status, ({ caller }) => githostStatus(platform, caller)),
  on(githost.home, ({ caller, query, reply }) => githostHome(platform, caller, query, aborted(reply))),
  on(githost.localStatus, ({ caller, reply }) => localStatus(platform, caller, aborted(reply))),
  on(githost.poll, ({ caller }) => pollAttempt(platform, caller)),
  on(githost.connect, ({ caller, body, reply }) => connect(platform, caller, body, aborted(reply))),
  on(githost.redirect, ({ request, reply }) => redirect(platform, request, reply)),
  on(githost.disconnect, ({ caller, body, query }) =>
    disconnect(platform, caller, body.source ?? query.source ?? 'all'),
  ),
  on(githost.list, ({ caller, query, reply }) => listRepositories(platform, caller, query, { signal: aborted(reply) })),
  on(githost.create, ({ caller, body, reply }) => createRepository(platform, caller, body, aborted(reply))),
  on(githost.ofOrganization, ({ caller, params, query, reply }) =>
    listRepositories(platform, caller, { ...query, owner: params.org }, { signal: aborted(reply), organization: true }),
  ),
  on(githost.show, ({ caller, params, query, reply }) =>
    showRepository(platform, caller, { ...params, branches: query.branches === 'true', signal: aborted(reply) }),
  ),
  on(githost.remove, ({ caller, params, reply }) =>
    removeRepository(platform, caller, { ...params, signal: aborted(reply) }),
  ),
  on(githost.branches, ({ caller, params, query, reply }) =>
    listBranches(platform, caller, { ...params, ...query, signal: aborted(reply) }),
  ),
  on(githost.cloneToken, ({ caller, params, reply }) =>
    cloneToken(platform, caller, { ...params, signal: aborted(reply) }),
  ),
  on(githost.files, ({ caller, params, query, reply }) =>
    listFiles(platform, caller, { ...params, ...query, signal: aborted(reply) }),
  ),
  on(githost.file, ({ caller, params, query, reply }) =>
    readFile(platform, caller, { ...params, ...query, signal: aborted(reply) }),
  ),
  on(githost.hooks, ({ caller, params, reply }) => listHooks(platform, caller, { ...params, signal: aborted(reply) })),
  on(githost.addHook, async ({ caller, params, reply }) => {
    const answer = await addHook(platform, caller, { ...params, signal: aborted(reply) })
    if (answer.created) reply.code(201)
    return answer
  }),
  on(githost.removeHook, ({ caller, params, body, reply }) =>
    removeHook(platform, caller, { ...params, ...body, signal: aborted(reply) }),
  ),
]

/** A browser without a session of ours, on its way to the git host or back. */
async function redirect(platform: Platform, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { publicUrl, githost } = platform.config
  const cookie = request.headers.cookie ?? ''
  const name = publicUrl.startsWith('https:') ? '__Host-githost' : 'githost'
  const visit = {
    query: textsIn(request.query as Record<string, unknown>),
    cookie: new RegExp(`(?:^|;\\s*)${name}=([\\w-]{20,100})(?:;|$)`).exec(cookie)?.[1],
    userId: (await visitorOf(platform, request))?.userId,
  }
  const arrival = await arrive(platform, visit)
  reply.headers(githostPageHeaders(githost.url))
  if ('cookie' in arrival && arrival.cookie !== undefined) {
    const secure = publicUrl.startsWith('https:') ? '; Secure' : ''
    reply.header('set-cookie', `${name}=${arrival.cookie}; Path=/; HttpOnly; SameSite=Lax; Max-Age=3600${secure}`)
  }
  if ('go' in arrival) return void (await reply.redirect(arrival.go, 302))
  const { status, html } = githostPage(arrival)
  await reply.code(status).type('text/html; charset=utf-8').send(html)
}

/** A parameter that comes twice is nobody's: neither of them counts. */
const textsIn = (query: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) =>
      typeof value === 'string' && value.length <= 1000 ? [[name, value]] : [],
    ),
  )
