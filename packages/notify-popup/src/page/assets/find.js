/** An element of the page by its id. */
export const find = (id) => document.getElementById(id);
