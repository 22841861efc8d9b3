import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { replyToTicket } from '#contract/tickets.ts'
import { launchChromium } from '#test/browser/chromium.ts'
import { CONSOLE_ACTS, type ConsoleAct } from '#test/browser/console-acts.ts'
import { type FixedConsole, openFixedConsole } from '#test/browser/fixed-console.ts'
import { needs } from '#test/stores.ts'

needs('chromium')('a form or button of the console that is pressed again', () => {
  let browser: Browser
  let visit: FixedConsole
  beforeAll(async () => {
    browser = await launchChromium()
    visit = await openFixedConsole(browser)
  })
  afterAll(async () => {
    await visit?.[Symbol.asyncDispose]()
    await browser?.close()
  })

  it.each(CONSOLE_ACTS.map((act) => [act.press, act.operation, act] as const))(
    'CO-10 "%s" pressed four times sends %s once',
    async (_, operation, act) => {
      await visit.open(act.at, act.answers)
      await press(visit, act)
      expect(visit.sent.filter((sent) => sent.operation === operation)).toHaveLength(1)
    },
  )

  it('CO-10 a reply that failed is sent again under its key, and another reply under its own', async () => {
    const { page, sent, open } = visit
    const refusal = { status: 503, json: { code: 'UNAVAILABLE', title: 'Unavailable', detail: 'Try again.' } }
    await open('/apps/thing/tickets/thing', { [replyToTicket.name]: refusal })
    for (const text of ['Mended.', 'Mended.', 'Mended now.']) {
      const failed = page.waitForResponse((response) => response.status() === 503)
      await page.getByLabel('Reply').fill(text)
      await page.getByRole('button', { name: 'Send reply' }).click()
      await failed
      await page.locator('button[type=submit][aria-busy=false]').waitFor()
    }
    const [first, again, other] = sent.map(({ key }) => key)
    expect([typeof first, again === first, other === first]).toEqual(['string', true, false])
  })

  it('CO-03 what is typed while a reply is sent is kept, and the reply itself is not', async () => {
    const { page, open } = visit
    await open('/apps/thing/tickets/thing', { [replyToTicket.name]: {} })
    const field = page.getByLabel('Reply')
    const typed = Promise.withResolvers<void>()
    await field.fill('Mended.')
    // The lists are read again before the reply counts as sent.
    await page.route('**/replies?*', async (route) => {
      await typed.promise
      await route.fallback()
    })
    const reading = page.waitForRequest((request) => request.method() === 'GET' && request.url().includes('/replies'))
    await page.getByRole('button', { name: 'Send reply' }).click()
    await reading
    await field.fill('Mended now.')
    typed.resolve()
    await page.getByText('Sent the reply.').waitFor()
    expect(await field.inputValue()).toBe('Mended now.')
    await page.getByRole('button', { name: 'Send reply' }).click()
    await page.waitForFunction(() => document.querySelector('textarea')?.value === '')
    await page.unrouteAll()
  })

  it('CO-10 a field takes as much as the operation does', async () => {
    const { page, open } = visit
    await open('/apps/thing/tickets')
    await page.getByRole('button', { name: 'File ticket' }).click()
    const limitOf = (label: string) => page.getByLabel(label).getAttribute('maxlength')
    expect([await limitOf('Title'), await limitOf('What happened')]).toEqual(['200', '16000'])
  })
})

async function press({ page, waitForSent }: FixedConsole, act: ConsoleAct): Promise<void> {
  const button = (name: string) => page.getByRole('button', { name, disabled: false })
  for (const name of act.open ?? []) await button(name).first().click()
  for (const [label, value] of Object.entries(act.choose ?? {})) await control(page, label).selectOption(value)
  for (const [label, text] of Object.entries(act.fill ?? {})) await control(page, label).fill(text)
  if (act.tick !== undefined) await page.getByLabel(act.tick).check()
  // The words on some buttons change while they are busy.
  const pressed = await button(act.press).last().elementHandle()
  const first = waitForSent(act.operation)
  await pressed.dblclick()
  // Two clicks before the page can draw anything: what a button looks like cannot stop the second.
  await pressed.evaluate((element) => {
    ;(element as HTMLElement).click()
    ;(element as HTMLElement).click()
  })
  // Some acts send another request before theirs, and then theirs waits for its answer.
  await first
  // Requests leave the page in order, so all that came before are known when this one is answered.
  await page.evaluate(() => fetch('/').then((answer) => answer.text()))
}

/** Dialogs are last in the page: of fields with the same label the last one is meant. */
function control(page: Page, label: string) {
  return page.getByLabel(label, { exact: true }).last()
}
