import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults, RunOptions } from 'axe-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import type { Role } from '#contract/core/roles.ts'
import { freePort } from '../free-port.ts'
import { startFakeIdp } from '../outside/fake-idp.ts'
import { type System, type SystemOptions, startSystem } from '../system.ts'
import { launchChromium, openContext } from './chromium.ts'
import { countPresses, type Presses } from './presses.ts'

type Person = Awaited<ReturnType<System['member']>>

/** A person in front of the console, signed in through the identity provider. */
export type Visit = Person & {
  readonly page: Page
  /** Reports of the browser: errors of scripts, failed requests, violations of the content security policy. */
  readonly faults: string[]
  /** Serious violations of accessibility rules on the page as it is now. */
  readonly axe: () => Promise<string[]>
  readonly presses: Presses
}

type VisitOptions = {
  /** The person who signs in. Without it a new member of the role in a new organization. */
  readonly person?: Person
  readonly orgId?: string
  readonly isPhone?: boolean
  readonly isDark?: boolean
  /** Opens the path itself, as a link in a mail does, and stays on the sign-in page. */
  readonly isSignedOut?: boolean
  /** Signs in once more later. The browser keeps no script between two pages until then. */
  readonly signsInAgain?: boolean
  /** Used by several tests, or by none. */
  readonly staysOpen?: boolean
}

export type ConsoleVisits = AsyncDisposable & {
  readonly system: System
  readonly browser: Browser
  /** Opens `path` in a browser of its own, and signs in on the way. The end of the test closes it. */
  readonly visit: (role: Role, path: string, options?: VisitOptions) => Promise<Visit>
}

const SIGN_IN = '**/auth/google/start**'
const DESKTOP = { width: 1280, height: 800 }
const PHONE = { width: 390, height: 844 }
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Starts a system, the fake identity provider and Chromium. Use only with `needs('chromium')`. */
export async function startConsoleVisits(systemOptions: SystemOptions = {}): Promise<ConsoleVisits> {
  const stack = new AsyncDisposableStack()
  const idp = stack.use(await startFakeIdp())
  const port = await freePort()
  const env = {
    PORT: String(port),
    SVC_GOOGLE_CLIENT_ID: idp.credentials.clientId,
    SVC_GOOGLE_CLIENT_SECRET: idp.credentials.clientSecret,
    // With two providers the sign-in page asks which, so that the browser goes through the address below.
    SVC_MICROSOFT_CLIENT_ID: idp.credentials.clientId,
    SVC_MICROSOFT_CLIENT_SECRET: idp.credentials.clientSecret,
    SVC_MICROSOFT_TENANT_ID: 'common',
    SVC_REDIRECT_BASE_URL: `http://127.0.0.1:${port}`,
    ...systemOptions.env,
  }
  const system = stack.use(await startSystem({ ...systemOptions, env, outgoing: idp.outgoing }))
  const browser = await launchChromium()
  stack.defer(() => browser.close())
  const visit: ConsoleVisits['visit'] = async (role, path, options = {}) => {
    const { person, orgId, isPhone = false, isDark = false, isSignedOut = false } = options
    const { signsInAgain = isSignedOut, staysOpen = false } = options
    const member = person ?? (await system.member(role, orgId))
    const context = await openContext(browser, contextOptions(isPhone, isDark))
    // A page that stays open asks the server again and again, beside all further tests.
    if (!staysOpen) onTestFinished(() => context.close())
    const claims = { sub: `g-${member.user_id}`, email: member.email, email_verified: true, name: `Pat ${role}` }
    // The page of the provider is not on loopback: the browser gets its answer at once.
    await context.route(SIGN_IN, async (route) => {
      const response = await route.fetch({ maxRedirects: 0 })
      const location = idp.authorize(response.headers().location!, claims)
      await route.fulfill({ response, headers: { ...response.headers(), location } })
    })
    const presses = await countPresses(context)
    const page = await context.newPage()
    const signIn = `/auth/google/start?return_to=${encodeURIComponent(path)}`
    await page.goto(`${system.url}${isSignedOut ? path : signIn}`)
    // A browser whose requests are routed reports each of them, and reads every script again for each page.
    if (!signsInAgain) await context.unroute(SIGN_IN)
    const faults: string[] = []
    page.on('console', (message) => void (message.type() === 'error' && faults.push(message.text())))
    page.on('pageerror', ({ message }) => void faults.push(message))
    await page.locator('h1').waitFor()
    return { ...member, page, faults, presses, axe: () => findSerious(page) }
  }
  return { system, browser, visit, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

function contextOptions(isPhone: boolean, isDark: boolean): BrowserContextOptions {
  return {
    viewport: isPhone ? PHONE : DESKTOP,
    hasTouch: isPhone,
    isMobile: isPhone,
    colorScheme: isDark ? 'dark' : 'light',
    reducedMotion: 'reduce',
  }
}

type Axe = { readonly axe: { run(options: RunOptions): Promise<AxeResults> } }

/** Playwright evaluates outside of the content security policy, so the policy of the page stays as it is. */
export async function findSerious(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE)
  const { violations } = await page.evaluate(() =>
    // Descriptions of what passes would take longer to write than the rules take.
    (globalThis as unknown as Axe).axe.run({ resultTypes: ['violations'] }),
  )
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`)
}
