import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { idOf, timestamp } from './ids.ts'
import { InvitationCode, Password } from './me.ts'
import { Done } from './pages.ts'

const name = z.string().trim().min(1).max(80)
const email = z.email().max(254).toLowerCase()

export const auth = {
  join: endpoint({
    method: 'GET',
    path: '/join',
    summary: 'The page behind setup and invitation links: choose a name and password',
    access: { public: 'shows a form; the code behind the # of the link never reaches the server with it' },
    response: { stream: 'text/html' },
  }),
  signIn: endpoint({
    method: 'POST',
    path: '/api/auth/sign-in/email',
    summary: 'Sign in with email and password; answers with a session cookie',
    access: { public: 'this is how a person gets a session' },
    body: z.object({ email, password: z.string().max(128), rememberMe: z.boolean().optional() }),
    response: z.object({
      success: z.literal(true),
      user: z.object({ id: z.string(), name: z.string(), email: z.string() }),
    }),
    example: { email: 'ada@example.com', password: 'correct horse battery' },
  }),
  signUp: endpoint({
    method: 'POST',
    path: '/api/auth/sign-up/email',
    summary:
      'Ask for an account and an organization of one’s own: a code is sent to the address. The answer is the same where it has ' +
      'an account; then the mail says so',
    access: { public: 'this is how somebody new comes in; nothing is made before the code is typed' },
    only: 'cloud',
    perMinute: 10,
    body: z.object({ email }),
    response: z.object({ success: z.literal(true), signUpId: z.string(), expiresAt: timestamp }),
    status: 202,
    example: { email: 'ada@example.com' },
    neverKept: true,
    unaudited: 'of no organization yet',
  }),
  finishSignUp: endpoint({
    method: 'POST',
    path: '/api/auth/sign-up/finish',
    summary: 'Type the code of the mail: makes the account and its organization. Then sign in',
    access: { public: 'the secret of the request and the code of the mail are the credential' },
    only: 'cloud',
    perMinute: 20,
    body: z.object({
      signUpId: z.string().min(20).max(200),
      code: z.string().min(1).max(32).meta({ example: 'K7QM-4T2X', description: 'as it is in the mail' }),
      name,
      password: Password,
      organization: name,
    }),
    response: z.object({ success: z.literal(true), organizationId: idOf('org') }),
    status: 201,
    example: {
      signUpId: 'the_secret_that_sign_up_answered_with',
      code: 'K7QM-4T2X',
      name: 'Ada',
      password: 'correct horse battery',
      organization: 'Ada’s things',
    },
    neverKept: true,
  }),
  signOut: endpoint({
    method: 'POST',
    path: '/api/auth/sign-out',
    summary: 'End this session',
    access: { public: 'ends the session of the cookie that is sent, and nothing else' },
    response: Done,
    unaudited: 'ends only the session that asks',
  }),
  accept: endpoint({
    method: 'POST',
    path: '/api/auth/accept',
    summary:
      'Use a setup or invitation code without an account: set a name and password and join. With the email that the ' +
      'code was made for it signs in as well; another one is refused, and the code is still good. The answer is the ' +
      'same where the address has an account, but for `signedIn`; then nothing changes, and its person signs in and joins ' +
      'with the session',
    access: { public: 'the one-time code in the body is the credential' },
    perMinute: 20,
    body: z.object({ code: InvitationCode, email: email.optional(), name: name.optional(), password: Password }),
    response: Done.extend({
      signedIn: z.boolean().meta({ description: 'a session has begun, whose cookie comes with the answer' }),
      hadAccount: z
        .boolean()
        .optional()
        .meta({ description: 'the address had an account, so nothing was changed; said to who sent the email' }),
    }),
    example: {
      code: 'inv_the_code_from_the_link',
      email: 'ada@example.com',
      name: 'Ada',
      password: 'correct horse battery',
    },
  }),
} as const
