import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { validateToken } from '#contract/auth/auth.ts'
import { createInvitation } from '#contract/auth/members.ts'
import type { Client } from '#contract/core/client.ts'
import { type TestClock, testClock } from '#lib/time/clock.ts'
import { Browser } from './browser/browser.ts'
import { APP, FLOW, SESSION, titleOf } from './sign-in.ts'
import { type System, startSystem } from './system.ts'

export const ASK_URL = `${APP}/auth/mailed-link`
/** No identity provider and no mail server: links are mailed into the data folder. */
export const LINK_ENV = {
  SVC_REDIRECT_BASE_URL: APP,
  SVC_ALLOWED_REDIRECT_BASE_URLS: 'https://docs.base.com/team',
  SVC_TRUSTED_PROXIES: '127.0.0.1',
}
export const ASKED = [200, 'Ask the operator for the link']
export const UNUSABLE = [403, 'This link does not work']

type Member = Awaited<ReturnType<System['member']>>
type Invited = { owner: Member; client: Client; invitation: { id: string; token: string; link: string } }
type BrowserAndLink = { browser: Browser; link: string }

type MailedLinks = {
  clock: TestClock
  system: System
  browser(): Browser
  /** Returns the mails to the address, oldest first. */
  mails(email: string): string[]
  principal(browser: Browser): ReturnType<typeof principalOf>
  /** Returns a browser that asked for a link, and the link. */
  asked(email: string, form?: Record<string, string>): Promise<BrowserAndLink>
  /** Returns a new member, a browser that asked for a link to their address, and the link. */
  askedByMember(): Promise<BrowserAndLink & Member>
  /** Invites the address to a new organization. */
  invite(email: string): Promise<Invited>
  /** Returns another browser that has the cookie of a sign-in under way, at this system or at another. */
  withFlowOf(browser: Browser, system?: System): Browser
}

/** Starts one system for the tests of a `describe`, with a clock that they can move, and closes it after them. */
export function useMailedLinks(): MailedLinks {
  const clock = testClock(new Date())
  let system: System
  beforeAll(async () => {
    system = await startSystem({ env: LINK_ENV, clock })
  })
  afterAll(() => system?.[Symbol.asyncDispose]())
  const links: MailedLinks = {
    clock,
    get system() {
      return system
    },
    browser: () => browserOf(system),
    mails: (email) => mailsTo(system, email),
    principal: (browser) => principalOf(system, browser),
    asked: async (email, form = {}) => {
      const browser = links.browser()
      expect(await statusAndTitle(await askForLink(browser, { email, ...form }))).toEqual(ASKED)
      return { browser, link: linkIn(links.mails(email).at(-1)!) }
    },
    askedByMember: async () => {
      const member = await system.member('viewer')
      return { ...member, ...(await links.asked(member.email)) }
    },
    invite: async (email) => {
      const owner = await system.member('owner')
      const client = system.client(owner.token)
      const invitation = await client.call(createInvitation, { org_id: owner.org_id, email, role: 'developer' })
      return { owner, client, invitation }
    },
    withFlowOf: (browser, other = system) => {
      const same = browserOf(other)
      same.setCookie(APP, FLOW, browser.cookie(APP, FLOW)!)
      return same
    },
  }
  return links
}

export function newAddress(domain = 'people.test'): string {
  return `p-${randomBytes(6).toString('hex')}@${domain}`
}

export function browserOf({ url }: Pick<System, 'url'>): Browser {
  return new Browser({ [APP]: url })
}

export function askForLink(browser: Browser, form: Record<string, string>): Promise<Response> {
  return browser.go(ASK_URL, { form })
}

/** Opens a link as a mail program does. */
export function open(browser: Browser, link: string): Promise<Response> {
  return browser.go(link, { site: 'cross-site' })
}

/** Presses the button on the page of a link. */
export function press(browser: Browser, link: string): Promise<Response> {
  return browser.go(link, { form: {} })
}

export function linkIn(mail: string): string {
  return /https:\/\/\S+\/auth\/mailed-link\/\w+/.exec(mail)![0]
}

/** Returns the mails to the address that are in the data folder, oldest first. */
export function mailsTo({ config }: System, email: string): string[] {
  const folder = join(config.dataDir, 'sign-in-mails')
  if (!existsSync(folder)) return []
  const names = readdirSync(folder).filter((name) => name.includes(`Z-${email}-`))
  return names.sort().map((name) => readFileSync(join(folder, name), 'utf8'))
}

export async function principalOf(system: System, browser: Browser) {
  const token = browser.cookie(APP, SESSION)
  return token && (await system.client('').call(validateToken, { token })).principal
}

export async function statusAndTitle(response: Response) {
  return [response.status, await titleOf(response)]
}
