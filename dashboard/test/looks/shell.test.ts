import type { Page } from 'playwright-core'
import { bootstrap } from '../../../server/src/core/operator/bootstrap.ts'
import { seed } from '../seed.ts'
import { joinAs, openStage } from '../stage.ts'
import { everyScreenIsForEverybody, type Screens } from './screens.ts'

const ADA = { email: 'ada@example.com', name: 'Ada', password: 'a password of ten letters' }

const stage = await openStage()
const { platform } = stage.world
const made = await bootstrap(platform, { email: ADA.email, organization: 'Acme', again: false, days: 1 })
const signedIn = await joinAs(await stage.open(), made.link, ADA)
const { ids } = await seed(stage.world, made.orgId, stage.world.as)

const at = (name: string) => `/deployments/${ids[name]}`
const MORE = (page: Page) => page.getByRole('button', { name: 'More actions' }).click()

/** Every screen and what lies over one, by what it shows when it is there. */
const SCREENS: Screens = {
  overview: { path: '/', shows: 'text=Upgrade the database driver' },
  list: { path: '/deployments', shows: 'text=Upgrade the database driver' },
  'empty list': { path: '/deployments?branch=none', shows: 'text=No deployment fits these filters' },
  building: { path: at('shop#148'), shows: 'text=running for' },
  decision: { path: at('shop#147'), shows: 'text=Keep what came up' },
  failed: { path: at('billing#44'), shows: 'text=build_failed' },
  live: { path: at('docs#45'), shows: 'text=Tidy up' },
  'not found': { path: '/nowhere', shows: 'text=There is nothing at this address' },
  setup: { path: '/setup', shows: 'text=A place for backups' },
  menu: { path: at('shop#148'), shows: '[role=menu]', act: MORE },
  dialog: {
    path: at('shop#147'),
    shows: '[role=alertdialog]',
    act: (page) => page.getByRole('button', { name: 'Put everything back' }).click(),
  },
  palette: { path: '/deployments', shows: '[role=listbox]', act: (page) => page.keyboard.press('Control+k') },
  keys: { path: '/deployments', shows: 'text=Row before', act: (page) => page.keyboard.press('?') },
}
const OUTSIDE: Screens = {
  'sign-in': { path: '/sign-in', shows: 'text=Stay signed in' },
  join: { path: '/join#code', shows: 'text=Join and sign in' },
  'join without a code': { path: '/join', shows: 'text=This link is not complete' },
}

everyScreenIsForEverybody(stage, [
  [signedIn, SCREENS],
  [undefined, OUTSIDE],
])
