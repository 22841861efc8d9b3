/** Why a deploy failed. */
export const DEPLOY_FAILURES = [
  'BUILD_FAILED',
  'START_FAILED',
  'HEALTH_FAILED',
  'CRASH_LOOP',
  'HARMFUL_ANSWERS',
  'TIMED_OUT',
  'INTERRUPTED',
] as const
