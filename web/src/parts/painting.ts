/** Marks the words of code. Few languages, fetched when the first piece of code is shown. */
import core from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import go from 'highlight.js/lib/languages/go';
import ini from 'highlight.js/lib/languages/ini';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';

/** Longer code is shown without colours: nobody waits for them. */
const LONGEST = 20_000;

const languages = { bash, css, diff, go, ini, java, javascript, json, python, rust, sql, typescript, xml, yaml };
for (const [name, language] of Object.entries(languages)) core.registerLanguage(name, language);
core.registerAliases(['shell', 'console', 'shell-session', 'fish'], { languageName: 'bash' });
core.registerAliases(['svelte', 'vue'], { languageName: 'xml' });
core.registerAliases(['jsonl', 'ndjson'], { languageName: 'json' });

/** The code as markup, escaped; null for a language that is not known here. */
export function painted(code: string, language: string): string | null {
  if (code.length > LONGEST || !core.getLanguage(language)) return null;
  return core.highlight(code, { language, ignoreIllegals: true }).value;
}
