/** Faults that a model can report. Those before `config` the detectors find in log templates and checks too. */
export const MODEL_KINDS = [
  'failing_check',
  'error_in_code',
  'error_in_logs',
  'dependency',
  'config',
  'defect',
] as const

/** Faults that the detectors find by comparing logs, check runs and deploys. */
export const SIGNAL_KINDS = [
  'memory_growth',
  'errors_after_deploy',
  'slow_endpoint',
  'dependency_timeout',
  'flapping_check',
  'expiring',
] as const

/** The gravest first. */
export const FINDING_KINDS = [
  'failing_check',
  'memory_growth',
  'error_in_code',
  'errors_after_deploy',
  'error_in_logs',
  'slow_endpoint',
  'dependency_timeout',
  'dependency',
  'flapping_check',
  'expiring',
  'config',
  'defect',
] as const satisfies readonly ((typeof MODEL_KINDS)[number] | (typeof SIGNAL_KINDS)[number])[]
