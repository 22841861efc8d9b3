import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ConsoleVisits, startConsoleVisits } from '#test/console-visit.ts'
import { needs } from '#test/stores.ts'

needs('chromium')('the console in a browser', () => {
  let visits: ConsoleVisits
  beforeAll(async () => {
    visits = await startConsoleVisits()
  })
  afterAll(() => visits?.[Symbol.asyncDispose]())

  it('CO-05 a person creates an API token, which works, and revokes it', async () => {
    const { page, faults, axe, email } = await visits.visit('viewer', '/settings/tokens')
    await page.getByRole('heading', { name: 'No API tokens yet' }).or(page.getByRole('table')).first().waitFor()
    await page.getByRole('button', { name: 'Create API token' }).click()
    await page.getByLabel('Name').fill('laptop')
    await page.getByRole('dialog').getByRole('button', { name: 'Create API token' }).click()
    const token = await page.getByRole('dialog').locator('code').innerText()
    const me = await fetch(`${visits.system.url}/api/v1/me`, { headers: { authorization: `Bearer ${token}` } })
    expect(await me.json()).toMatchObject({ user: { email }, role: 'viewer' })
    expect(await axe()).toEqual([])
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Revoke laptop' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke API token' }).click()
    await page.getByText('Revoked laptop.').waitFor()
    expect(faults).toEqual([])
    const after = await fetch(`${visits.system.url}/api/v1/me`, { headers: { authorization: `Bearer ${token}` } })
    expect(after.status).toBe(401)
  })
})
