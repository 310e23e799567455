/** The words and the colours of asks. */
import type { AskKind, Decision, Standing } from '../api/shapes';

export const KIND_WORDS: Record<AskKind, string> = {
  permission: 'Permission',
  question: 'Question',
  plan: 'Plan',
  words: 'Question in words',
  error: 'Error',
  project: 'Project',
  channel: 'Channel',
};

/** An ask looks like the standing that it gives its agent. */
export const KIND_STANDING: Record<AskKind, Standing> = {
  permission: 'awaiting_approval',
  plan: 'awaiting_approval',
  question: 'awaiting_input',
  words: 'awaiting_input',
  error: 'error',
  project: 'awaiting_input',
  channel: 'awaiting_input',
};

export const DECISION_WORDS: Record<Decision, { does: string; doing: string; key: string }> = {
  allow: { does: 'Allow', doing: 'Allowing…', key: 'y' },
  always: { does: 'Always', doing: 'Allowing…', key: 'A' },
  deny: { does: 'Deny', doing: 'Denying…', key: 'n' },
  answer: { does: 'Answer', doing: 'Answering…', key: 'Enter' },
  approve: { does: 'Approve', doing: 'Approving…', key: 'y' },
  reject: { does: 'Reject', doing: 'Rejecting…', key: 'n' },
  dismiss: { does: 'Dismiss', doing: 'Dismissing…', key: 'x' },
};

/** A no, with which words can be sent. */
export const isNo = (decision: Decision): boolean => decision === 'deny' || decision === 'reject';
