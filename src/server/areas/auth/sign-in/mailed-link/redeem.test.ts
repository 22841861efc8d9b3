import { describe, expect, it } from 'vitest'
import {
  ASK_URL,
  askForLink,
  browserOf,
  LINK_ENV,
  linkIn,
  mailsTo,
  newAddress,
  open,
  press,
  statusAndTitle,
  UNUSABLE,
  useMailedLinks,
} from '#test/mailed-links.ts'
import { APP, FLOW, SESSION } from '#test/sign-in.ts'
import { needs } from '#test/stores.ts'
import { startSystem } from '#test/system.ts'

const MINUTE_MS = 60_000
const OTHER_BROWSER = [403, 'Open this link in the other browser']

describe('a mailed sign-in link', () => {
  const links = useMailedLinks()

  it('AU-21 opening the link changes nothing, however often', async () => {
    const { browser, link } = await links.askedByMember()
    for (let n = 0; n < 3; n++) {
      const response = await open(browser, link)
      expect([response.status, response.headers.getSetCookie()]).toEqual([200, []])
      await open(links.browser(), link)
    }
    expect((await press(browser, link)).status).toBe(303)
  })

  it('AU-21 is refused in another browser, with a page that says what to do', async () => {
    const { email, browser, link } = await links.askedByMember()
    const other = links.browser()
    const response = await open(other, link)
    expect(await statusAndTitle(response.clone())).toEqual(OTHER_BROWSER)
    const page = await response.text()
    expect(page).toContain('Copy the link from the mail into that browser')
    expect([page.includes(email), page.includes('<form')]).toEqual([false, false])
    // A browser that asked for a link of its own has another cookie.
    await askForLink(other, { email: newAddress() })
    expect(await statusAndTitle(await open(other, link))).toEqual(OTHER_BROWSER)
    expect((await open(browser, link)).status).toBe(200)
  })

  it('AU-21 is used up when another browser presses the button', async () => {
    const { browser, link } = await links.askedByMember()
    const other = links.browser()
    expect(await statusAndTitle(await press(other, link))).toEqual(OTHER_BROWSER)
    expect(other.cookie(APP, SESSION)).toBeUndefined()
    expect(await statusAndTitle(await press(browser, link))).toEqual(UNUSABLE)
  })

  it('AU-21 two tabs of one browser can each ask for a link', async () => {
    const { email } = await links.system.member('viewer')
    const browser = links.browser()
    await askForLink(browser, { email })
    links.clock.advance(1000)
    await askForLink(browser, { email })
    const [first, second] = links.mails(email).map(linkIn)
    expect([(await open(browser, first!)).status, (await open(browser, second!)).status]).toEqual([200, 200])
  })

  it('AU-21 a second link works in the browser that the first one signed in, also for another address', async () => {
    const { email, browser, link } = await links.askedByMember()
    links.clock.advance(1000)
    await askForLink(browser, { email })
    const other = await links.system.member('viewer')
    await askForLink(browser, { email: other.email })
    expect((await press(browser, link)).status).toBe(303)
    for (const mail of [links.mails(email)[1]!, links.mails(other.email)[0]!]) {
      expect((await open(browser, linkIn(mail))).status).toBe(200)
      expect((await press(browser, linkIn(mail))).status).toBe(303)
    }
    expect(await links.principal(browser)).toMatchObject({ user_id: other.user_id })
  })

  it('AU-21 signing out ends what this browser had begun: a link that it asked for is refused', async () => {
    const { email, browser, link } = await links.askedByMember()
    links.clock.advance(1000)
    await askForLink(browser, { email })
    await press(browser, link)
    expect((await browser.go(`${APP}/auth/logout`, { method: 'POST' })).status).toBe(204)
    expect(await statusAndTitle(await open(browser, linkIn(links.mails(email)[1]!)))).toEqual(OTHER_BROWSER)
  })

  it('AU-21 works up to 15 minutes and not longer', async () => {
    const { browser, link } = await links.askedByMember()
    expect(browser.cookie(APP, FLOW)).toBeDefined()
    links.clock.advance(15 * MINUTE_MS - 1)
    expect((await open(browser, link)).status).toBe(200)
    links.clock.advance(1)
    expect(await statusAndTitle(await open(browser, link))).toEqual(UNUSABLE)
    expect(await statusAndTitle(await press(browser, link))).toEqual(UNUSABLE)
    expect(browser.cookie(APP, SESSION)).toBeUndefined()
  })

  it('AU-21 works once', async () => {
    const { browser, link } = await links.askedByMember()
    expect((await press(browser, link)).status).toBe(303)
    expect(await statusAndTitle(await open(browser, link))).toEqual(UNUSABLE)
    expect(await statusAndTitle(await press(browser, link))).toEqual(UNUSABLE)
  })

  it('AU-21 an invented or mistyped link is refused', async () => {
    const { browser, link } = await links.askedByMember()
    for (const wrong of [`${ASK_URL}/svcl_made_up`, `${link.slice(0, -1)}_`, link.replace('svcl_', 'svci_')])
      expect(await statusAndTitle(await press(browser, wrong))).toEqual(UNUSABLE)
  })

  it('AU-21 forms of other sites are refused', async () => {
    const { email, browser, link } = await links.askedByMember()
    const before = links.mails(email).length
    expect((await browser.go(ASK_URL, { form: { email }, site: 'cross-site' })).status).toBe(403)
    expect((await browser.go(link, { form: {}, site: 'cross-site' })).status).toBe(403)
    expect((await browser.go(link, { form: {}, site: 'same-site' })).status).toBe(403)
    expect([links.mails(email).length, browser.cookie(APP, SESSION)]).toEqual([before, undefined])
    expect((await press(browser, link)).status).toBe(303)
  })
})

needs('postgres')('with several connections', () => {
  it('AU-21 of several requests at once one signs in', async () => {
    await using system = await startSystem({ env: LINK_ENV })
    const { email } = await system.member('viewer')
    const browser = browserOf(system)
    await askForLink(browser, { email })
    const link = linkIn(mailsTo(system, email)[0]!)
    const cookie = browser.cookie(APP, FLOW)!
    const tabs = Array.from({ length: 8 }, () => {
      const tab = browserOf(system)
      tab.setCookie(APP, FLOW, cookie)
      return tab
    })
    const answers = await Promise.all(tabs.map((tab) => press(tab, link)))
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(7)
    expect(tabs.filter((tab) => tab.cookie(APP, SESSION) !== undefined)).toHaveLength(1)
  })
})
