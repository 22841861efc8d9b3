import { startConsoleVisits } from '../../browser/console-visit.ts'
import { openOwnDatabase } from '../../programs/own-system.ts'
import { type Review, reviewEdits } from './review-edits.ts'

/** Reviews random edits outside of the test runner, in a system and a browser of its own. */
export async function reviewInOwnSystem(options: { count: number; seed: number }): Promise<Review> {
  await using stack = new AsyncDisposableStack()
  const on = await openOwnDatabase(stack)
  const { system, visit } = stack.use(await startConsoleVisits({ on, env: { SVC_ALLOW_PROCESS_DEPLOYS: 'true' } }))
  const { page, ...admin } = await visit('admin', '/apps', { staysOpen: true })
  return await reviewEdits({ system, page, admin }, options)
}
