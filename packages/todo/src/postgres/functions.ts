/**
 * What servers call in the database: `change`, and the functions that read. Each migration ends with them. A release that changes
 * the arguments or the answer of a function creates another one beside it, as long as `MINIMUM_READER` names servers that call it.
 */
export const functions = `
CREATE OR REPLACE FUNCTION deskside_todo.missing(owner text, ids jsonb) RETURNS jsonb LANGUAGE sql SECURITY INVOKER STABLE AS $$
  SELECT jsonb_agg(value ORDER BY position) FROM jsonb_array_elements(ids) WITH ORDINALITY AS wanted (value, position)
  WHERE NOT EXISTS (SELECT FROM deskside_todo.tasks WHERE user_id = owner AND id = value::bigint)
$$;
-- Whether a task that waits for these waits for itself.
CREATE OR REPLACE FUNCTION deskside_todo.loops(owner text, ids jsonb, task_id bigint) RETURNS boolean LANGUAGE sql SECURITY INVOKER STABLE AS $$
  WITH RECURSIVE earlier (id) AS (
    SELECT value::bigint FROM jsonb_array_elements(ids)
    UNION
    SELECT unnest(waits_for) FROM earlier JOIN deskside_todo.tasks ON user_id = owner AND tasks.id = earlier.id
  ) SELECT EXISTS (SELECT FROM earlier WHERE id = task_id)
$$;
CREATE OR REPLACE FUNCTION deskside_todo.add(owner text, call jsonb) RETURNS jsonb LANGUAGE plpgsql SECURITY INVOKER AS $$
DECLARE
  added int := jsonb_array_length(call -> 'tasks');
  missing jsonb;
  used deskside_todo.idempotency_keys;
  last_id bigint;
BEGIN
  IF call ? 'key' THEN
    DELETE FROM deskside_todo.idempotency_keys
    WHERE user_id = owner AND created_at <= (call ->> 'at')::timestamptz - interval '24 hours';
    SELECT * INTO used FROM deskside_todo.idempotency_keys WHERE user_id = owner AND key = call ->> 'key';
    IF FOUND THEN
      RETURN jsonb_build_object(
        'outcome', CASE WHEN used.digest = call ->> 'digest' THEN 'ok' ELSE 'invalid' END,
        'task_id', used.task_id,
        'used', jsonb_build_object('digest', used.digest, 'taskId', used.task_id, 'createdAt', used.created_at));
    END IF;
  END IF;
  missing := deskside_todo.missing(owner, call -> 'after');
  IF missing IS NOT NULL THEN RETURN jsonb_build_object('missing', missing); END IF;
  UPDATE deskside_todo.users SET last_task_id = last_task_id + added WHERE id = owner RETURNING last_task_id INTO last_id;
  INSERT INTO deskside_todo.tasks
    (user_id, id, title, description, completed, created_at, due_date, project, priority, waits_for, every)
  SELECT owner, last_id - added + position, title, description, completed, created_at, due_date, project, priority, waits_for, every
  FROM ROWS FROM (jsonb_to_recordset(call -> 'tasks') AS (title text, description text, completed boolean,
    created_at timestamptz, due_date date, project text, priority int, waits_for bigint[], every text))
    WITH ORDINALITY AS task (title, description, completed, created_at, due_date, project, priority, waits_for, every, position);
  INSERT INTO deskside_todo.task_words
  SELECT owner, word, last_id - added + position
  FROM jsonb_array_elements(call -> 'tasks') WITH ORDINALITY AS task (fields, position),
    jsonb_array_elements_text(fields -> 'words') AS word;
  IF call ? 'key' THEN
    INSERT INTO deskside_todo.idempotency_keys (user_id, key, digest, task_id, created_at)
    VALUES (owner, call ->> 'key', call ->> 'digest', last_id, (call ->> 'at')::timestamptz);
  END IF;
  RETURN jsonb_build_object('outcome', 'ok', 'last_id', last_id)
    || CASE WHEN added = 1 THEN jsonb_build_object('task_id', last_id) ELSE '{}' END;
END $$;
CREATE OR REPLACE FUNCTION deskside_todo.task_answer(task deskside_todo.tasks) RETURNS jsonb LANGUAGE sql SECURITY INVOKER STABLE AS $$
  SELECT CASE WHEN task.id IS NULL THEN jsonb_build_object('outcome', 'task_not_found')
    ELSE jsonb_build_object('outcome', 'ok', 'task_id', task.id, 'task', to_jsonb(task)) END
$$;
-- A recurring task that is completed needs "next": when the next one is due, which only the program can tell. It fits to "old", which
-- the program has read. The next task takes "every" over, so that no second completion creates another one.
CREATE OR REPLACE FUNCTION deskside_todo.complete(owner text, call jsonb) RETURNS jsonb LANGUAGE plpgsql SECURITY INVOKER AS $$
DECLARE
  task deskside_todo.tasks;
  next deskside_todo.tasks;
BEGIN
  SELECT * INTO task FROM deskside_todo.tasks WHERE user_id = owner AND id = (call -> 'id')::bigint;
  IF (call -> 'completed')::boolean AND NOT task.completed AND task.every IS NOT NULL THEN
    IF NOT coalesce(to_jsonb(task) @> (call -> 'old'), false) THEN RETURN jsonb_build_object('task', to_jsonb(task)); END IF;
    IF call ? 'next' THEN
      next := jsonb_populate_record(task, '{"claimed_by": null, "claim_key": null, "claimed_until": null, "next_id": null, "waits_for": []}'
        || (call -> 'next'));
      UPDATE deskside_todo.users SET last_task_id = last_task_id + 1 WHERE id = owner RETURNING last_task_id INTO next.id;
      INSERT INTO deskside_todo.tasks VALUES (next.*);
      INSERT INTO deskside_todo.task_words
      SELECT owner, word, next.id FROM deskside_todo.task_words WHERE user_id = owner AND task_id = task.id;
      task.every := NULL;
      task.next_id := next.id;
    END IF;
  END IF;
  UPDATE deskside_todo.tasks
  SET completed = (call -> 'completed')::boolean, every = task.every, next_id = task.next_id,
    -- A pending task that is reopened stays claimed.
    claimed_by = CASE WHEN completed OR (call -> 'completed')::boolean THEN NULL ELSE claimed_by END,
    claim_key = CASE WHEN completed OR (call -> 'completed')::boolean THEN NULL ELSE claim_key END,
    claimed_until = CASE WHEN completed OR (call -> 'completed')::boolean THEN NULL ELSE claimed_until END
  WHERE user_id = owner AND id = task.id RETURNING * INTO task;
  RETURN deskside_todo.task_answer(task);
END $$;
-- With words null, only the rest changes. They fit to the texts in "set", or to "old", the texts that stay.
CREATE OR REPLACE FUNCTION deskside_todo.update(owner text, call jsonb) RETURNS jsonb LANGUAGE plpgsql SECURITY INVOKER AS $$
DECLARE
  task deskside_todo.tasks;
  changed jsonb := call -> 'set';
  missing jsonb;
BEGIN
  SELECT * INTO task FROM deskside_todo.tasks WHERE user_id = owner AND id = (call -> 'id')::bigint;
  IF NOT FOUND THEN RETURN deskside_todo.task_answer(task); END IF;
  IF NOT to_jsonb(task) @> (call -> 'old') THEN RETURN jsonb_build_object('task', to_jsonb(task)); END IF;
  IF changed ? 'waits_for' THEN
    missing := deskside_todo.missing(owner, changed -> 'waits_for');
    IF missing IS NOT NULL THEN RETURN jsonb_build_object('missing', missing); END IF;
    IF deskside_todo.loops(owner, changed -> 'waits_for', task.id) THEN RETURN jsonb_build_object('loop', true); END IF;
  END IF;
  task := jsonb_populate_record(task, changed);
  UPDATE deskside_todo.tasks
  SET title = task.title, description = task.description, due_date = task.due_date, priority = task.priority,
    waits_for = task.waits_for, every = task.every
  WHERE user_id = owner AND id = task.id;
  IF call ? 'words' THEN
    DELETE FROM deskside_todo.task_words WHERE user_id = owner AND task_id = task.id;
    INSERT INTO deskside_todo.task_words SELECT owner, word, task.id FROM jsonb_array_elements_text(call -> 'words') AS word;
  END IF;
  RETURN deskside_todo.task_answer(task);
END $$;
CREATE OR REPLACE FUNCTION deskside_todo.remove(owner text, call jsonb) RETURNS jsonb LANGUAGE plpgsql SECURITY INVOKER AS $$
DECLARE
  task deskside_todo.tasks;
  its_words text[];
  deleted deskside_todo.deleted_tasks;
BEGIN
  DELETE FROM deskside_todo.tasks WHERE user_id = owner AND id = (call -> 'id')::bigint RETURNING * INTO task;
  IF FOUND THEN
    WITH gone AS (
      DELETE FROM deskside_todo.task_words WHERE user_id = owner AND task_id = task.id RETURNING word
    ) SELECT array_agg(word) INTO its_words FROM gone;
  END IF;
  IF (call -> 'forever')::boolean THEN
    DELETE FROM deskside_todo.deleted_tasks WHERE user_id = owner AND id = (call -> 'id')::bigint RETURNING * INTO deleted;
    IF task.id IS NULL AND deleted.id IS NOT NULL THEN task := jsonb_populate_record(task, to_jsonb(deleted)); END IF;
  ELSIF task.id IS NOT NULL THEN
    deleted := jsonb_populate_record(deleted, to_jsonb(task));
    deleted.deleted_at := (call ->> 'at')::timestamptz;
    deleted.words := coalesce(its_words, '{}');
    INSERT INTO deskside_todo.deleted_tasks VALUES (deleted.*);
  END IF;
  RETURN deskside_todo.task_answer(task);
END $$;
CREATE OR REPLACE FUNCTION deskside_todo.restore(owner text, call jsonb) RETURNS jsonb LANGUAGE plpgsql SECURITY INVOKER AS $$
DECLARE
  task deskside_todo.tasks;
  deleted deskside_todo.deleted_tasks;
BEGIN
  SELECT * INTO deleted FROM deskside_todo.deleted_tasks
  WHERE user_id = owner AND id = (call -> 'id')::bigint
    AND deleted_at > (call ->> 'at')::timestamptz - interval '30 days';
  IF NOT FOUND THEN
    SELECT * INTO task FROM deskside_todo.tasks WHERE user_id = owner AND id = (call -> 'id')::bigint;
    RETURN deskside_todo.task_answer(task);
  END IF;
  task := jsonb_populate_record(task, to_jsonb(deleted));
  -- What was ordered meanwhile may wait for it.
  IF deskside_todo.loops(owner, to_jsonb(task.waits_for), task.id) THEN task.waits_for := '{}'; END IF;
  DELETE FROM deskside_todo.deleted_tasks WHERE user_id = owner AND id = task.id;
  INSERT INTO deskside_todo.tasks VALUES (task.*);
  INSERT INTO deskside_todo.task_words SELECT owner, word, task.id FROM unnest(deleted.words) AS word;
  RETURN deskside_todo.task_answer(task);
END $$;
-- The condition of a list or a claim. "$1" is the user, "$2" the query.
-- What a task waits for is looked up one by one: with the statistics from before an import, PostgreSQL would read all tasks for each.
CREATE OR REPLACE FUNCTION deskside_todo.condition(query jsonb) RETURNS text LANGUAGE sql SECURITY INVOKER IMMUTABLE AS $$
  SELECT concat_ws(' AND ', 'user_id = $1',
    CASE query ->> 'status' WHEN 'completed' THEN 'completed' WHEN 'pending' THEN 'NOT completed' END,
    CASE WHEN query ? 'id' THEN 'id = ($2 -> ''id'')::bigint' END,
    CASE WHEN query ? 'after_id' THEN 'id < ($2 -> ''after_id'')::bigint' END,
    CASE WHEN query ? 'due_by' THEN 'due_date <= ($2 ->> ''due_by'')::date' END,
    CASE WHEN query ? 'ready' THEN 'NOT completed AND coalesce(claimed_until <= clock_timestamp(), true) AND (waits_for = ''{}'' OR NOT EXISTS (
      SELECT FROM unnest(waits_for) AS awaited, LATERAL (
        SELECT FROM deskside_todo.tasks AS earlier
        WHERE earlier.user_id = $1 AND earlier.id = awaited AND NOT earlier.completed OFFSET 0) AS earlier))' END,
    CASE WHEN query ? 'of_project' THEN 'project = $2 ->> ''of_project''' END)
$$;
CREATE OR REPLACE FUNCTION deskside_todo.refusal(task deskside_todo.tasks) RETURNS jsonb LANGUAGE sql SECURITY INVOKER VOLATILE AS $$
  SELECT CASE
    WHEN task.id IS NULL THEN jsonb_build_object('outcome', 'task_not_found')
    WHEN task.completed THEN jsonb_build_object('outcome', 'not_claimed', 'kind', 'completed')
    WHEN task.claimed_until > clock_timestamp()
      THEN jsonb_build_object('outcome', 'not_claimed', 'kind', 'held', 'by', task.claimed_by, 'until', task.claimed_until)
    ELSE jsonb_build_object('outcome', 'not_claimed', 'kind', 'waits', 'ids', (
      SELECT coalesce(jsonb_agg(id ORDER BY id), '[]') FROM deskside_todo.tasks AS earlier
      WHERE earlier.user_id = task.user_id AND earlier.id = ANY (task.waits_for) AND NOT earlier.completed))
    END
$$;
CREATE OR REPLACE FUNCTION deskside_todo.claim(owner text, call jsonb) RETURNS jsonb LANGUAGE plpgsql SECURITY INVOKER AS $$
DECLARE
  task deskside_todo.tasks;
BEGIN
  EXECUTE format('SELECT * FROM deskside_todo.tasks WHERE %s
    ORDER BY ($2 ? ''project'' AND project IS NOT DISTINCT FROM $2 ->> ''project'') DESC, coalesce(priority, 4), due_date, id
    LIMIT 1 FOR NO KEY UPDATE %s', deskside_todo.condition(call || '{"ready": true}'),
    CASE WHEN call ? 'id' THEN '' ELSE 'SKIP LOCKED' END)
  INTO task USING owner, call;
  IF task.id IS NULL AND NOT call ? 'id' THEN RETURN jsonb_build_object('outcome', 'not_claimed', 'kind', 'none'); END IF;
  IF task.id IS NULL THEN
    SELECT * INTO task FROM deskside_todo.tasks
    WHERE user_id = owner AND id = (call -> 'id')::bigint FOR NO KEY UPDATE;
    IF NOT coalesce(NOT task.completed AND task.claim_key = call ->> 'holder' AND task.claimed_until > clock_timestamp(), false)
    THEN RETURN deskside_todo.refusal(task); END IF;
  END IF;
  UPDATE deskside_todo.tasks
  SET claimed_by = call ->> 'label', claim_key = call ->> 'holder',
    claimed_until = clock_timestamp() + (call ->> 'lease_ms')::float8 * interval '1 millisecond'
  WHERE user_id = owner AND id = task.id RETURNING * INTO task;
  RETURN deskside_todo.task_answer(task) || jsonb_build_object('until', task.claimed_until);
END $$;
CREATE OR REPLACE FUNCTION deskside_todo.release(owner text, call jsonb) RETURNS jsonb LANGUAGE plpgsql SECURITY INVOKER AS $$
DECLARE
  task deskside_todo.tasks;
BEGIN
  SELECT * INTO task FROM deskside_todo.tasks WHERE user_id = owner AND id = (call -> 'id')::bigint;
  IF task.id IS NULL OR coalesce(task.claimed_until > clock_timestamp() AND task.claim_key <> call ->> 'holder', false)
  THEN RETURN deskside_todo.refusal(task); END IF;
  UPDATE deskside_todo.tasks SET claimed_by = NULL, claim_key = NULL, claimed_until = NULL
  WHERE user_id = owner AND id = task.id RETURNING * INTO task;
  RETURN deskside_todo.task_answer(task);
END $$;
-- Changes of one user: one transaction, in which the row of the user is locked first, so that no two of them lock each other out. Each successful one has its audit row.
CREATE OR REPLACE FUNCTION deskside_todo.change(owner text, calls jsonb) RETURNS jsonb LANGUAGE plpgsql SECURITY INVOKER AS $$
DECLARE
  call jsonb;
  answer jsonb;
  answers jsonb := '[]';
  is_heard boolean;
BEGIN
  PERFORM set_config('deskside.user_id', owner, true);
  -- A claim of the next task skips what others lock, and waits for no lock.
  IF jsonb_path_exists(calls, '$[*] ? (@.change != "claim" || exists(@.id))') THEN
    PERFORM FROM deskside_todo.users WHERE id = owner FOR NO KEY UPDATE;
    IF NOT FOUND AND calls @> '[{"change": "add"}]' THEN
      INSERT INTO deskside_todo.users AS known (id, last_task_id) VALUES (owner, 0)
      ON CONFLICT (id) DO UPDATE SET last_task_id = known.last_task_id;
    END IF;
  END IF;
  FOR call IN SELECT value FROM jsonb_array_elements(calls) LOOP
    PERFORM set_config('deskside.actor', call ->> 'actor', true);
    answer := CASE call ->> 'change'
      WHEN 'add' THEN deskside_todo.add(owner, call)
      WHEN 'complete' THEN deskside_todo.complete(owner, call)
      WHEN 'update' THEN deskside_todo.update(owner, call)
      WHEN 'remove' THEN deskside_todo.remove(owner, call)
      WHEN 'restore' THEN deskside_todo.restore(owner, call)
      WHEN 'claim' THEN deskside_todo.claim(owner, call)
      WHEN 'release' THEN deskside_todo.release(owner, call)
    END;
    IF answer ->> 'outcome' = 'ok' THEN
      INSERT INTO deskside_todo.audit (at, actor, user_id, tool, outcome, task_id, changed)
      VALUES ((call ->> 'at')::timestamptz, call ->> 'actor', owner, call ->> 'tool', 'ok',
        (answer -> 'task_id')::bigint, call ->> 'changed');
      -- Servers with subscribers of this user hold the lock. NOTIFY lets commits wait for each other, so it is not for all.
      is_heard := coalesce(is_heard, NOT pg_try_advisory_xact_lock(1146309461, hashtext(owner)));
      IF is_heard THEN
        PERFORM pg_notify('deskside_todo', md5(owner) || ' ' || coalesce(answer ->> 'task_id', answer ->> 'last_id'));
      END IF;
    END IF;
    answers := answers || jsonb_build_array(answer);
  END LOOP;
  RETURN answers;
END $$;
CREATE OR REPLACE FUNCTION deskside_todo.list(owner text, query jsonb) RETURNS jsonb LANGUAGE plpgsql SECURITY INVOKER STABLE AS $$
DECLARE
  condition text := deskside_todo.condition(query);
  page jsonb;
  last_id bigint;
  remaining bigint := 0;
BEGIN
  PERFORM set_config('deskside.user_id', owner, true);
  EXECUTE format('SELECT coalesce(jsonb_agg(to_jsonb(page) ORDER BY id DESC), ''[]'') FROM (
    SELECT * FROM deskside_todo.tasks WHERE %s ORDER BY id DESC LIMIT ($2 -> ''limit'')::bigint) AS page', condition)
  INTO page USING owner, query;
  IF jsonb_array_length(page) = (query -> 'limit')::bigint THEN
    last_id := (page -> -1 -> 'id')::bigint;
    IF query ? 'counted' THEN
      SELECT coalesce(sum(CASE query ->> 'status' WHEN 'pending' THEN pending WHEN 'completed' THEN completed
        ELSE pending + completed END), 0) INTO remaining
      FROM deskside_todo.task_counts WHERE user_id = owner AND block < last_id / 1000;
      condition := condition || ' AND id >= $3 / 1000 * 1000';
    END IF;
    EXECUTE format('SELECT $4 + count(*) FROM (
      SELECT FROM deskside_todo.tasks WHERE %s AND id < $3 LIMIT 1000) AS rest', condition)
    INTO remaining USING owner, query, last_id, remaining;
  END IF;
  RETURN jsonb_build_object('tasks', page, 'remaining', remaining);
END $$;
-- Tasks that may match a search, newest first: those with the prefix that begins the fewest words, if these are few; else the
-- newest ones. "is_last": no other task can match.
CREATE OR REPLACE FUNCTION deskside_todo.search(owner text, query jsonb) RETURNS jsonb LANGUAGE plpgsql SECURITY INVOKER STABLE AS $$
DECLARE
  condition text := deskside_todo.condition(query);
  rarest text;
  candidates jsonb;
BEGIN
  PERFORM set_config('deskside.user_id', owner, true);
  SELECT prefix INTO rarest FROM (
    SELECT prefix, (SELECT count(*) FROM (
      SELECT FROM deskside_todo.task_words
      WHERE user_id = owner AND word >= prefix AND word < prefix || chr(1114111) LIMIT (query -> 'max_words')::bigint
    ) AS beginning) AS words
    FROM jsonb_array_elements_text(query -> 'prefixes') AS prefix
  ) AS counted WHERE words < (query -> 'max_words')::bigint ORDER BY words, prefix COLLATE "C" LIMIT 1;
  IF rarest IS NOT NULL THEN
    -- An array is read once. With the statistics from before an import, PostgreSQL would read these words for each task.
    condition := condition || ' AND id = ANY (ARRAY(SELECT task_id FROM deskside_todo.task_words
      WHERE user_id = $1 AND word >= $3 AND word < $3 || chr(1114111)))';
  ELSE
    condition := condition || ' ORDER BY id DESC LIMIT ($2 -> ''limit'')::bigint';
  END IF;
  EXECUTE format('SELECT coalesce(jsonb_agg(to_jsonb(read) ORDER BY id DESC), ''[]'') FROM (
    SELECT * FROM deskside_todo.tasks WHERE %s) AS read', condition)
  INTO candidates USING owner, query, rarest;
  RETURN jsonb_build_object('tasks', candidates,
    'is_last', rarest IS NOT NULL OR jsonb_array_length(candidates) < (query -> 'limit')::bigint);
END $$;
CREATE OR REPLACE FUNCTION deskside_todo.get(owner text, query jsonb) RETURNS jsonb LANGUAGE plpgsql SECURITY INVOKER STABLE AS $$
BEGIN
  PERFORM set_config('deskside.user_id', owner, true);
  RETURN (SELECT to_jsonb(tasks) FROM deskside_todo.tasks WHERE user_id = owner AND id = (query -> 'id')::bigint);
END $$;
-- The newest changes, and the reads and refused calls of the newest days.
CREATE OR REPLACE FUNCTION deskside_todo.read_audit(owner text, query jsonb) RETURNS jsonb LANGUAGE plpgsql SECURITY INVOKER STABLE AS $$
BEGIN
  PERFORM set_config('deskside.user_id', owner, true), set_config('deskside.actor', owner, true);
  RETURN jsonb_build_object(
    'changes', (SELECT coalesce(jsonb_agg(to_jsonb(change) ORDER BY id DESC), '[]') FROM (
      SELECT * FROM deskside_todo.audit WHERE user_id = owner OR actor = owner
      ORDER BY id DESC LIMIT (query -> 'limit')::bigint) AS change),
    'counts', (SELECT coalesce(jsonb_agg(to_jsonb(count) ORDER BY day DESC, tool, outcome), '[]') FROM (
      SELECT * FROM deskside_todo.call_counts WHERE actor = owner
      ORDER BY day DESC, tool, outcome LIMIT (query -> 'limit')::bigint) AS count));
END $$;
CREATE OR REPLACE FUNCTION deskside_todo.add_counts(counts jsonb) RETURNS jsonb LANGUAGE plpgsql SECURITY INVOKER AS $$
DECLARE
  given deskside_todo.call_counts;
BEGIN
  FOR given IN SELECT * FROM jsonb_populate_recordset(NULL::deskside_todo.call_counts, counts) ORDER BY 1, 2, 3, 4 LOOP
    PERFORM set_config('deskside.actor', given.actor, true);
    INSERT INTO deskside_todo.call_counts AS known VALUES (given.*)
    ON CONFLICT (actor, day, tool, outcome) DO UPDATE SET calls = known.calls + excluded.calls;
  END LOOP;
  RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION deskside_todo.purge(at timestamptz) RETURNS jsonb LANGUAGE plpgsql SECURITY INVOKER AS $$
BEGIN
  PERFORM set_config('deskside.purge', 'on', true);
  DELETE FROM deskside_todo.deleted_tasks WHERE deleted_at <= at - interval '30 days';
  DELETE FROM deskside_todo.idempotency_keys WHERE created_at <= at - interval '24 hours';
  RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION deskside_todo.read_tokens() RETURNS jsonb LANGUAGE sql SECURITY INVOKER STABLE AS $$
  SELECT coalesce(jsonb_agg(to_jsonb(tokens) ORDER BY name COLLATE "C"), '[]') FROM deskside_todo.tokens
$$;
-- Replaces the tokens if they are still those that the caller has read: "known" are their digests.
CREATE OR REPLACE FUNCTION deskside_todo.replace_tokens(known jsonb, given jsonb) RETURNS jsonb LANGUAGE plpgsql SECURITY INVOKER AS $$
BEGIN
  LOCK TABLE deskside_todo.tokens IN SHARE ROW EXCLUSIVE MODE;
  IF jsonb_path_query_array(deskside_todo.read_tokens(), '$[*].sha256') <> known THEN RETURN 'false'; END IF;
  DELETE FROM deskside_todo.tokens;
  INSERT INTO deskside_todo.tokens SELECT * FROM jsonb_populate_recordset(NULL::deskside_todo.tokens, given);
  RETURN 'true';
END $$;
CREATE OR REPLACE FUNCTION deskside_todo.use_token(digest text) RETURNS jsonb LANGUAGE plpgsql SECURITY INVOKER AS $$
BEGIN
  UPDATE deskside_todo.tokens SET used = now() WHERE sha256 = digest;
  RETURN NULL;
END $$;
`;
