/** What went wrong between an agent and its model, what that means, and what to do. */

export interface Meaning {
  name: string;
  means: string;
  next: string;
}

const RATE_LIMIT: Meaning = {
  name: 'Rate or usage limit',
  means: 'More was asked than the plan or the key allows for now. Nothing is lost: the turn stopped before it was done.',
  next: 'Wait until the limit resets (the text may say when), then say “continue” in its terminal. `/usage` there shows how much is left.',
};
const OVERLOADED: Meaning = {
  name: 'Overloaded',
  means: 'The API has more work than it can take. The client tried several times and gave up.',
  next: 'Wait a minute or two, then say “continue” in its terminal. Another model may be less busy: `/model`.',
};
const AUTHENTICATION: Meaning = {
  name: 'Not logged in',
  means: 'The API does not accept this client’s log-in or key: expired, revoked, or of the wrong account.',
  next: 'Type `/login` in its terminal, or mend the key in its environment, then say “continue”.',
};
const FORBIDDEN: Meaning = {
  name: 'Not allowed',
  means: 'The account is known, and its organisation does not allow this use, or has put it on hold.',
  next: 'Ask whoever looks after the organisation, or log in with another account: `/login`.',
};
const BILLING: Meaning = {
  name: 'Billing',
  means: 'The account has no credit left, or its payment failed.',
  next: 'Add credit or mend the payment in the account’s billing settings, then say “continue” in its terminal.',
};
const TOO_LONG: Meaning = {
  name: 'Context too long',
  means: 'The conversation no longer fits into the model’s window.',
  next: 'Type `/compact` in its terminal to have it summed up, or `/clear` to begin anew, then go on.',
};
const OUTPUT: Meaning = {
  name: 'Answer too long',
  means: 'The answer reached the most that the model may write in one go, and was cut.',
  next: 'Say “continue”, or ask for a smaller step.',
};
const NO_MODEL: Meaning = {
  name: 'Model not found',
  means: 'The model that was asked for does not exist, or this account may not use it.',
  next: 'Choose another in its terminal: `/model`.',
};
const INVALID: Meaning = {
  name: 'Invalid request',
  means: 'The API could not make sense of what the client sent: often a file or picture it does not take, or a broken conversation.',
  next: 'Read the text below. Stepping back before the message that broke it helps most: press Esc twice in its terminal.',
};
const SERVER: Meaning = {
  name: 'Server error',
  means: 'Something failed on the side of the API. It is not your doing.',
  next: 'Say “continue” in its terminal. If it comes again, look at the status page of the service.',
};
const NETWORK: Meaning = {
  name: 'No connection',
  means: 'The client could not reach the API: the network, a proxy or a VPN is in the way.',
  next: 'Check the connection of that machine, then say “continue” in its terminal.',
};
const UNKNOWN: Meaning = {
  name: 'The turn failed',
  means: 'The client said that the turn failed, and gave no reason that we know.',
  next: 'Read the text below, then say “continue” in its terminal, or ask differently.',
};

/** The kinds that clients name (StopFailure, and the transcript's `error`). */
const KINDS: Record<string, Meaning> = {
  rate_limit: RATE_LIMIT,
  rate_limit_error: RATE_LIMIT,
  overloaded: OVERLOADED,
  overloaded_error: OVERLOADED,
  authentication_failed: AUTHENTICATION,
  authentication_error: AUTHENTICATION,
  cloud_credential_error: AUTHENTICATION,
  oauth_org_not_allowed: FORBIDDEN,
  account_on_hold: FORBIDDEN,
  permission_error: FORBIDDEN,
  billing_error: BILLING,
  max_output_tokens: OUTPUT,
  model_not_found: NO_MODEL,
  not_found_error: NO_MODEL,
  invalid_request: INVALID,
  invalid_request_error: INVALID,
  server_error: SERVER,
  api_error: SERVER,
  timeout_error: NETWORK,
};

/** What the words tell where the kind does not, the surest first. */
const SIGNS: [RegExp, Meaning][] = [
  [/prompt is too long|context (window|length|limit)|too many (input )?tokens/i, TOO_LONG],
  [/\b529\b|overloaded/i, OVERLOADED],
  [/credit balance|billing|payment|\b402\b/i, BILLING],
  [/\b429\b|rate.?limit|usage limit|limit (reached|will reset)|hit your .{0,20}limit/i, RATE_LIMIT],
  [/\b401\b|invalid.{0,10}api key|authenticat|please run \/login|log ?in/i, AUTHENTICATION],
  [/\b403\b|not allowed|permission denied/i, FORBIDDEN],
  [/output token maximum|max_output_tokens/i, OUTPUT],
  [/\b404\b|model.{0,30}(not found|not exist)/i, NO_MODEL],
  [/ECONN|ENOTFOUND|ETIMEDOUT|timed? ?out|connection error|network|fetch failed/i, NETWORK],
  [/\b5\d\d\b|internal server error/i, SERVER],
  [/\b4(00|13|22)\b|invalid.?request/i, INVALID],
];

/** Kinds that clients use for many things: the words are plainer. */
const BROAD = new Set([INVALID, SERVER]);

export function meaningOf(text: string): Meaning {
  const kind = KINDS[/^\s*([a-z_]+)\s*(:|$)/.exec(text)?.[1] ?? ''];
  const told = SIGNS.find(([sign]) => sign.test(text.slice(0, 4_000)))?.[1];
  return (kind && !BROAD.has(kind) ? kind : (told ?? kind)) ?? UNKNOWN;
}
