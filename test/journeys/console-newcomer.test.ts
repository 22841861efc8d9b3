import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchChromium, openContext } from '#test/browser/chromium.ts'
import { countPresses } from '#test/browser/presses.ts'
import { type ServerProcess, startProcess, untilExample } from '#test/programs/processes.ts'
import { needs } from '#test/stores.ts'

/** A process of its own: the link that the start prints, and the example, are only there. */
needs('chromium')('a newcomer in the console', () => {
  let folder: string
  let server: ServerProcess
  let browser: Browser
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-newcomer-'))
    ;[server, browser] = await Promise.all([
      startProcess({ PORT: '0', SVC_DATA_DIR: join(folder, 'data') }),
      launchChromium(),
    ])
    await untilExample(server)
  })
  afterAll(async () => {
    await browser?.close()
    await server?.[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
  })

  it('CO-01 the printed link leads in four presses to an answer, the command for an agent, and what an invitation needs', async () => {
    const context = await openContext(browser, { permissions: ['clipboard-read', 'clipboard-write'] })
    const presses = await countPresses(context)
    const page = await context.newPage()
    await page.goto(/http\S+#sign-in=\S+/.exec(server.output.join('\n'))![0])
    const steps = page.getByRole('region', { name: 'First steps' })
    await steps.getByText('They sign in by a mailed link').waitFor()
    expect(new URL(page.url()).hash).toBe('')

    await steps.getByRole('button', { name: 'Copy' }).last().click()
    const command = `claude mcp add --transport http svc ${server.url}/mcp/platform\nclaude mcp login svc`
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(command)

    await steps.getByRole('link', { name: 'Ask handbook' }).click()
    await page.getByRole('button', { name: 'Ask source' }).click()
    const hits = page.getByRole('region', { name: 'Hits' })
    await hits.getByRole('heading', { level: 2, name: /^\d+ hits$/ }).waitFor()
    expect(await hits.getByRole('heading', { level: 3 }).first().innerText()).toMatch(/stolen|lost/i)

    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Home' }).click()
    await steps.getByRole('heading', { name: 'Ask a question Done', level: 3 }).waitFor()
    expect(presses()).toBe(4)

    await steps.getByRole('link', { name: 'Set up an identity provider' }).click()
    await page.getByText(`${server.url}/auth/google/callback`).waitFor()

    await page.goto(`${server.url}/settings/organization/members`)
    await page.getByRole('button', { name: 'Invite person' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Email').fill('colleague@example.com')
    await dialog.getByRole('button', { name: 'Invite person' }).click()
    await dialog.getByText('mails are in the local mailbox, which owners open on the machine of the server.').waitFor()
  })
})
