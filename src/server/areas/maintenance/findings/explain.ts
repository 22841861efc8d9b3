type Explanation = { readonly explanation: string; readonly look_at: readonly string[] }

const EXPLANATIONS: Record<string, Explanation> = {
  failing_check: {
    explanation: 'A check of this app fails as often in a row as its threshold says.',
    look_at: ['The last runs of the check, with the answer it got', 'The deploys around its first failure'],
  },
  memory_growth: {
    explanation:
      'The app was ended because it used more memory than it may, and was started again. Requests that were under way were lost. Memory that grows until then is usually held by a list, a cache or listeners that nothing empties.',
    look_at: [
      'Caches and lists at module level without a limit',
      'Timers and listeners that are added for each request',
      'The requests right before the end',
    ],
  },
  error_in_code: {
    explanation: 'An error was logged whose stack trace leads into the source of the live revision.',
    look_at: ['The file and function that the finding names', 'The value that the message speaks of'],
  },
  errors_after_deploy: {
    explanation:
      'Errors and failed requests are at least three times as frequent as before the deploy that is live. The first minute after the deploy is not counted.',
    look_at: [
      'The changes of the revision',
      'Variables that the revision needs and the app does not have',
      'Rolling back',
    ],
  },
  error_in_logs: {
    explanation: 'The same error was logged at least three times in a day, without a stack trace into the source.',
    look_at: ['The lines before it in the log', 'Where the source writes this message'],
  },
  slow_endpoint: {
    explanation:
      'The middle request takes at least twice as long as before the deploy that is live, and a tenth of a second more.',
    look_at: [
      'Queries and calls that the revision added to these endpoints',
      'Loops that wait for one call after another',
    ],
  },
  dependency_timeout: {
    explanation: 'Something that the app calls did not answer in time, again and again.',
    look_at: [
      'Whether it is reachable and how busy it is',
      'The time limit of the call',
      'What the app does meanwhile',
    ],
  },
  dependency: {
    explanation: 'Something that the app depends on refused, broke the connection or answered as a gateway does.',
    look_at: ['Whether it runs, and its own log', 'The address and the credentials that the app uses'],
  },
  flapping_check: {
    explanation:
      'The check fails and passes in turn, so it never fails as often in a row as its threshold says and nobody is told. Failures around a deploy are not counted.',
    look_at: ['The detail of its failed runs', 'A time limit of the check that is close to what the app needs'],
  },
  expiring: {
    explanation: 'A line of the log says that it expires soon, and no later line says that it was renewed.',
    look_at: ['What should renew it, and why that did not happen', 'What stops working on that day'],
  },
  config: {
    explanation: 'A model found that a setting of the app is missing or wrong.',
    look_at: ['The variables of the app', 'The place in the source that reads them'],
  },
  defect: {
    explanation: 'A model found a fault in the source.',
    look_at: ['The file that the finding names'],
  },
}

/** Returns what a kind of finding means. A kind of another release has no explanation. */
export function explainKind(kind: string): Explanation {
  return Object.hasOwn(EXPLANATIONS, kind) ? EXPLANATIONS[kind]! : { explanation: '', look_at: [] }
}

/** Returns the explanation of a finding whose lines a revision wrote that is not live any more. */
export function explainFormer(revisionId: string): string {
  return `Its lines are of revision ${revisionId}, which is no longer live, so the finding is closed. It is reported as new if the live revision logs it too.`
}
