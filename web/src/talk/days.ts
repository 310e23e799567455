const day = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });

export const dateOnly = (at: string): string => day.format(new Date(at));
