import { describe } from 'vitest'

/** Real stores to test against, when there are any; the embedded ones otherwise. */
export const stores = {
  postgres: process.env.SVC_TEST_DATABASE_URL,
  redis: process.env.SVC_TEST_REDIS_URL,
  chromium: process.env.SVC_TEST_CHROMIUM,
}

/** Marks tests that mean something only with a real store; they are skipped by name without it. */
export function needs(...names: (keyof typeof stores)[]) {
  const missing = names.filter((name) => !stores[name])
  return missing.length === 0 ? describe : describe.skip
}
