import { expect, it } from 'vitest'
import type { AppTrial, TrialStep } from '#ports/app-trials.ts'
import { judgeBuild } from './judge-build.ts'

const passed: TrialStep = { type: 'passed' }
const absent: TrialStep = { type: 'absent' }
const failed: TrialStep = { type: 'failed', needsNetwork: false, reason: 'exit code 1', output: 'no such name' }
const silent: TrialStep = { type: 'failed', needsNetwork: false, reason: 'killed: it took too long', output: '' }
const offline: TrialStep = { type: 'failed', needsNetwork: true, reason: 'exit code 6', output: '' }
const unwalled: TrialStep = { type: 'not_run', reason: 'there is no sandbox: bubblewrap is not installed' }
const unbuilt: TrialStep = { type: 'not_run', reason: 'the app was not built' }

const BROKEN = 'The app does not build with this change: exit code 1. Its output ends with:\nno such name'
const BASE_FAILS =
  'The build says nothing about the change, because the build of the live revision does not pass here either: exit code 1. Its output ends with:\nno such name'
const NO_NETWORK =
  'The build says nothing about the change, because it needs the network, which it does not have here: exit code 6.'
const ONLY_BUILDS = 'The tests were not run: this installation only builds (SVC_MAINTENANCE_BUILD).'
const NOT_BUILT = 'The tests were not run: the app was not built.'
const NO_SANDBOX = 'there is no sandbox: bubblewrap is not installed.'

type Row = [title: string, base: AppTrial | undefined, change: AppTrial, verdict: unknown]

const valid = (level: 'built' | 'tested' | null, ...notes: string[]) => ({ type: 'valid', passed: level, notes })
const invalid = (reason: string) => ({ type: 'invalid', reason })
const NEEDS_BASE = { type: 'needs_base' }

it.each<Row>([
  ['a build that passes', undefined, { build: passed }, valid('built', ONLY_BUILDS)],
  ['a build and tests that pass', undefined, { build: passed, test: passed }, valid('tested')],
  [
    'tests that pass without a build',
    undefined,
    { build: absent, test: passed },
    valid('tested', 'The app was not built: it has no build command.'),
  ],
  [
    'an app that declares neither',
    undefined,
    { build: absent, test: absent },
    valid(
      null,
      'The app was not built: it has no build command.',
      'The tests were not run: package.json has no script "test".',
    ),
  ],
  ['a failed build, without the base', undefined, { build: failed, test: unbuilt }, NEEDS_BASE],
  ['a failed build of a base that builds', { build: passed }, { build: failed }, invalid(BROKEN)],
  [
    'a build that takes too long of a base that builds',
    { build: passed },
    { build: silent },
    invalid('The app does not build with this change: killed: it took too long.'),
  ],
  [
    'a failed build of a base that fails too',
    { build: failed },
    { build: failed },
    valid(null, BASE_FAILS, ONLY_BUILDS),
  ],
  [
    'a failed build of a base that needs the network',
    { build: offline },
    { build: failed, test: unbuilt },
    valid(null, BASE_FAILS, NOT_BUILT),
  ],
  [
    'a failed build of a base that svc stopped',
    { build: unwalled },
    { build: failed },
    valid(null, BASE_FAILS, ONLY_BUILDS),
  ],
  ['a build that needs the network', undefined, { build: offline, test: unbuilt }, valid(null, NO_NETWORK, NOT_BUILT)],
  [
    'a build that needs the network, of a base that does not',
    { build: passed },
    { build: offline },
    valid(null, NO_NETWORK, ONLY_BUILDS),
  ],
  [
    'no sandbox',
    undefined,
    { build: unwalled, test: unwalled },
    valid(null, `The app was not built: ${NO_SANDBOX}`, `The tests were not run: ${NO_SANDBOX}`),
  ],
  ['failed tests, without the base', undefined, { build: passed, test: failed }, NEEDS_BASE],
  [
    'failed tests of a base whose tests pass',
    { build: passed, test: passed },
    { build: passed, test: failed },
    invalid('The tests of the app do not pass with this change: exit code 1. Its output ends with:\nno such name'),
  ],
  [
    'failed tests of a base whose tests fail too',
    { build: passed, test: failed },
    { build: passed, test: failed },
    valid(
      'built',
      'The tests say nothing about the change, because those of the live revision do not pass here either: exit code 1. Its output ends with:\nno such name',
    ),
  ],
  [
    'failed tests of a base that does not build',
    { build: failed, test: unbuilt },
    { build: passed, test: silent },
    valid(
      'built',
      'The tests say nothing about the change, because those of the live revision do not pass here either: killed: it took too long.',
    ),
  ],
  [
    'tests that are flaky',
    undefined,
    { build: passed, test: { type: 'flaky' } },
    valid('built', 'The tests say nothing about the change, because they do not give the same result each time.'),
  ],
  [
    'tests that need the network',
    undefined,
    { build: passed, test: offline },
    valid(
      'built',
      'The tests say nothing about the change, because they need the network, which they do not have here: exit code 6.',
    ),
  ],
])('MA-10 %s', (_, base, change, verdict) => {
  expect(judgeBuild(base, change)).toEqual(verdict)
})
