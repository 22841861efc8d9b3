import type { BrowserContext } from 'playwright-core'

/** Returns how often the person pressed something since the count before, and begins a new count. */
export type Presses = () => number

/**
 * Counts the presses of a person in all pages of a browser: clicks, taps, and Enter and Space on what is not a text.
 * Choosing from a list counts as two, because a person opens the list first.
 */
export async function countPresses(context: BrowserContext): Promise<Presses> {
  let count = 0
  await context.exposeBinding('svcCountPresses', (_, presses: number) => {
    count += presses
  })
  await context.addInitScript(() => {
    const report = (presses: number) =>
      (globalThis as unknown as { svcCountPresses(presses: number): void }).svcCountPresses(presses)
    const isText = (target: EventTarget | null) =>
      target instanceof HTMLTextAreaElement ||
      (target instanceof HTMLInputElement && !['checkbox', 'radio', 'button', 'submit'].includes(target.type))
    addEventListener('pointerdown', () => report(1), true)
    addEventListener(
      'keydown',
      ({ key, target, ctrlKey }) => {
        const isActivation = isText(target) ? key === 'Enter' && (ctrlKey || target instanceof HTMLInputElement) : true
        if (isActivation && ['Enter', ' '].includes(key)) report(1)
      },
      true,
    )
    addEventListener('change', ({ target }) => target instanceof HTMLSelectElement && report(2), true)
  })
  return () => {
    const presses = count
    count = 0
    return presses
  }
}
