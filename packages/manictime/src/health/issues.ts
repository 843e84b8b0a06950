/** Fatal ones make the server useless, warnings make some answers poorer. */
export type Severity = 'Fatal' | 'Warning';

export interface Issue {
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly remediation: string;
}

export type HealthStatus = 'Healthy' | 'Degraded' | 'Unhealthy';

export function statusOf(issues: readonly Issue[]): HealthStatus {
  if (issues.some(({ severity }) => severity === 'Fatal')) return 'Unhealthy';
  return issues.length > 0 ? 'Degraded' : 'Healthy';
}

export function warning(code: string, message: string, remediation: string): Issue {
  return { code, severity: 'Warning', message, remediation };
}

export function fatal(code: string, message: string, remediation: string): Issue {
  return { code, severity: 'Fatal', message, remediation };
}
