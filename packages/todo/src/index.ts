export { type TodoOptions, todoOptions } from './options.ts';
export { todoServer } from './server.ts';
export { openTodo, type Todo } from './todo.ts';
export { todoTools } from './tools/index.ts';
