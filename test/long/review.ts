import { reviewInOwnSystem } from '#test/apps/review/own-review.ts'

/** The suite reviews a hundred edits; `npm run test:long` runs this. */
const seed = Number(process.argv[2] ?? 20_261_118)
const count = Number(process.argv[3] ?? 1_000)

if (process.env.SVC_TEST_CHROMIUM) {
  const review = await reviewInOwnSystem({ count, seed })
  console.log(`proposals as API, client and console show them: ${JSON.stringify(review, null, 2)}`)
  if (review.faults.length > 0) process.exitCode = 1
} else {
  console.log('proposals: skipped, needs Chromium, set SVC_TEST_CHROMIUM')
}
