/**
 * Markdown of agents as markup that can do nothing: fetched when the first text needs it.
 *
 * What is markup already, is no web address, or would fetch something, is shown as the text it is.
 * DOMPurify then has the last word.
 */
import DOMPurify from 'dompurify';
import { Marked, type Tokens } from 'marked';

/** More than this is not worth reading as a document, and some texts are made to be slow. */
const LONGEST = 100_000;
const SAFE = new Set(['http:', 'https:', 'mailto:']);
const TAGS = [
  ...['p', 'br', 'hr', 'h4', 'h5', 'h6', 'ul', 'ol', 'li', 'blockquote', 'pre', 'code', 'em', 'strong', 'del', 'a'],
  ...['table', 'thead', 'tbody', 'tr', 'th', 'td', 'span'],
];

/** Code as markup with its words marked; null for a language it does not know. */
export type Painter = (code: string, language: string) => string | null;
let painter: Painter | undefined;

const marked = new Marked({
  gfm: true,
  renderer: {
    html: ({ text }) => escaped(text),
    heading({ tokens, depth }: Tokens.Heading) {
      // The page has headings of its own; those of a text come below them.
      const level = Math.min(6, depth + 3);
      return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>`;
    },
    link({ href, tokens, raw }: Tokens.Link) {
      return leads(href) ? anchor(href, this.parser.parseInline(tokens)) : escaped(raw);
    },
    image: ({ href, text, raw }) => (leads(href) ? anchor(href, escaped(text || href)) : escaped(raw)),
    code({ text, lang }: Tokens.Code) {
      const language = lang?.match(/^[\w+#-]+/)?.[0].toLowerCase() ?? '';
      return `<pre tabindex="0"><code>${painter?.(text, language) ?? escaped(text)}</code></pre>\n`;
    },
    checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
  },
});

const purify = DOMPurify(window);
purify.addHook('afterSanitizeAttributes', (node) => {
  if (node.tagName !== 'A') return;
  node.setAttribute('target', '_blank');
  node.setAttribute('rel', 'noopener noreferrer');
});

/** Safe markup for a text without control characters; null for one that is better shown as it is. */
export function markup(text: string, paint?: Painter): string | null {
  if (text.length > LONGEST) return null;
  painter = paint;
  const made = parsed(text);
  if (made === null) return null;
  return purify.sanitize(made, {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ['href', 'title', 'start', 'align', 'class', 'tabindex'],
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
  });
}

function parsed(text: string): string | null {
  try {
    return marked.parse(text, { async: false });
  } catch {
    return null; // Ten thousand quotes within quotes, and the like: the text itself is there to read.
  }
}

function leads(href: string): boolean {
  try {
    return SAFE.has(new URL(href).protocol);
  } catch {
    return false;
  }
}

/** Where it leads is told besides what it says: the two may differ. */
function anchor(href: string, inside: string): string {
  return `<a href="${escaped(href)}" title="${escaped(href)}">${inside}</a>`;
}

function escaped(text: string): string {
  const marks: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replace(/[&<>"']/g, (mark) => marks[mark] ?? mark);
}
