import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newId } from '#edge/ids.ts'
import type { Context, RouteOf } from '#edge/route/route.ts'
import { createSealer } from '#lib/crypto/seal.ts'
import type { Db } from '#lib/db/db.ts'
import { sql } from '#lib/db/sql.ts'
import { launchChromium, openContext } from '#test/browser/chromium.ts'
import { openTestDatabase, type TestDatabase } from '#test/database.ts'
import { needs } from '#test/stores.ts'
import { mailboxRoute } from './mailbox-page.ts'
import { KEPT_MAILS, type KeptMail, keepMail, listKeptMails } from './mailbox-store.ts'

let opened: TestDatabase
let db: Db
const org = newId('org')
const sealer = createSealer(['ab'.repeat(32)])
beforeAll(async () => {
  opened = await openTestDatabase()
  db = opened.db
})
afterAll(() => opened?.[Symbol.asyncDispose]())
beforeEach(() => db.query(sql`delete from notifications.mailbox`))

const mail = (changed: Partial<KeptMail> = {}): KeptMail => ({
  delivery_id: newId('dlv'),
  org_id: org,
  recipient: 'mara@example.org',
  subject: 'Deploy of <b>Shop</b> failed',
  body: 'Deploy failed\nhttps://svc.example.com/apps/shop?a=1&b=2\n',
  ...changed,
})

async function open({ hasMailbox = true, ...info }: { hasMailbox?: boolean } & Partial<Context> = {}) {
  const { answer } = mailboxRoute({ db, sealer, mail: hasMailbox ? 'mailbox' : undefined }) as RouteOf<'raw'>
  const context = { principal: { org_id: org }, direct: true, clientAddress: '127.0.0.1', ...info } as Context
  return (await answer({}, context)).text()
}

describe('NO-09 the mailbox of an installation without a mail server', () => {
  it('shows an owner the mails of their organization, with their links', async () => {
    await keepMail(db, sealer, mail())
    await keepMail(db, sealer, mail({ org_id: newId('org'), subject: 'of others' }))
    const page = await open()
    expect(page).toContain('Deploy of &lt;b&gt;Shop&lt;/b&gt; failed')
    expect(page).toMatch(/<summary>.* to mara@example\.org, \d{4}-\d\d-\d\d \d\d:\d\d UTC.*<\/summary>/)
    expect(page).toContain('<a href="/">Back to the console</a>')
    expect(page).toContain('<a href="https://svc.example.com/apps/shop?a=1&amp;b=2">')
    expect(page).not.toContain('of others')
    expect(await open({ clientAddress: '::1' })).toBe(page)
  })

  needs('chromium')('in a browser', () => {
    it('its lines look like links, and the keyboard opens them', async () => {
      await keepMail(db, sealer, mail())
      const browser = await launchChromium()
      try {
        const page = await (await openContext(browser)).newPage()
        await page.setContent(await open())
        await page.getByText('Press a line to open its mail.').waitFor()
        const subject = page.getByText('Deploy of <b>Shop</b> failed', { exact: true })
        expect(await subject.evaluate((node) => getComputedStyle(node).textDecorationLine)).toBe('underline')
        const text = page.locator('pre')
        expect(await text.isVisible()).toBe(false)
        // The first stop is the link back to the console.
        for (const key of ['Tab', 'Tab', 'Enter']) await page.keyboard.press(key)
        await text.waitFor()
        if (process.env.SVC_TEST_SCREENSHOTS)
          await page.screenshot({ path: `${process.env.SVC_TEST_SCREENSHOTS}/mailbox.png` })
      } finally {
        await browser.close()
      }
    })
  })

  it.each([
    ['another machine', { clientAddress: '10.0.0.7' }],
    ['a proxy', { direct: false }],
    ['an installation that sends its mail', { hasMailbox: false }],
  ])('does not exist for %s', async (_, options) => {
    await keepMail(db, sealer, mail())
    await expect(open(options)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('keeps the mail of a delivery once', async () => {
    const storedMail = mail()
    await keepMail(db, sealer, storedMail)
    await keepMail(db, sealer, storedMail)
    expect(await listKeptMails(db, sealer, org)).toHaveLength(1)
  })

  it('stores no link that acts for a person', async () => {
    await keepMail(db, sealer, mail())
    const [row] = await db.query<{ body: string }>(sql`select body from notifications.mailbox`)
    expect(row!.body).not.toContain('svc.example.com')
  })

  it('keeps the last 500 mails', async () => {
    const ids = Array.from({ length: 500 }, (_, n) => `dlv_old${n}`)
    const bodies = ids.map((delivery_id) => sealer.seal('', KEPT_MAILS.context({ delivery_id })))
    await db.query(sql`
      insert into notifications.mailbox (delivery_id, org_id, recipient, subject, body, kept_at)
      select id, ${org}, 'a@example.org', 'old ' || n, body, clock_timestamp() - make_interval(hours => n::int)
      from unnest(${ids}::text[], ${bodies}::text[]) with ordinality as mail (id, body, n)`)
    await keepMail(db, sealer, mail({ subject: 'new' }))
    const subjects = (await listKeptMails(db, sealer, org)).map(({ subject }) => subject)
    expect(subjects).toHaveLength(500)
    expect([subjects[0], subjects.at(-1)]).toEqual(['new', 'old 499'])
  })
})
