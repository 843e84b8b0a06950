/** What a model or a person looks for, and the tools that are right. */
export interface SearchQuestion {
  /** Names as the desk lists them: with the id of the mount. */
  readonly tools: readonly string[];
  readonly question: string;
  /** It has no word of the tool's own name. */
  readonly isParaphrase: boolean;
}

/**
 * Written from the READMEs of 28 servers of npm, before their tool lists and before the ranking. A question never changes. The name of
 * a tool may: some READMEs give another one than the server.
 */
const DIRECT = `
chart_generate_pie_chart: pie chart of the share of each browser
chart_generate_line_chart: generate a line chart of revenue over time
chart_generate_bar_chart: horizontal bar chart that compares categories
chart_generate_column_chart: column chart with sales per region
chart_generate_sankey_chart: sankey diagram of energy flows
chart_generate_radar_chart: radar chart of five skills
chart_generate_scatter_chart: scatter plot of height against weight
chart_generate_word_cloud_chart: word cloud from a text
chart_generate_mind_map: draw a mind map of my ideas
chart_generate_flow_diagram: flow diagram of the ordering process
chart_generate_fishbone_diagram: fishbone diagram with the causes of a problem
chart_generate_organization_chart: organization chart of the company
chart_generate_treemap_chart: treemap of disk usage
chart_generate_histogram_chart: histogram of response times
brave_brave_image_search: find images of red pandas with Brave
brave_brave_news_search: search recent news about the election
brave_brave_video_search: search for videos about bread baking
brave_brave_local_search|bravesearch_brave_local_search: local search for restaurants near me
brave_brave_web_search|bravesearch_brave_web_search: Brave web search
brave_brave_summarizer: Brave summarizer with a summary key
eslint_lint-files: lint these files with ESLint
mastra_mastraDocs: read the Mastra docs about agents
github_create_issue: create an issue in a GitHub repository
github_create_pull_request: create a pull request
github_search_code: search code across GitHub
github_search_users: search GitHub users by followers
github_list_commits: list the commits of a branch
github_add_issue_comment: add a comment to an issue on GitHub
github_fork_repository|gitlab_fork_repository: fork a repository
github_create_repository: create a new private GitHub repository
github_push_files: push several files in one commit to GitHub
github_update_issue: update an issue: close it and change labels
github_list_issues: list open issues with the label bug
github_get_file_contents: get the contents of a file from a GitHub repository
github_create_branch: create a branch in a GitHub repository
github_search_repositories: search GitHub repositories about vector databases
github_get_issue: get GitHub issue 42
gitlab_create_merge_request: create a merge request
gitlab_create_issue: create an issue in a GitLab project
gitlab_get_file_contents: get file contents from a GitLab project
gitlab_create_repository: create a new GitLab project
maps_maps_geocode: geocode an address
maps_maps_reverse_geocode: reverse geocode coordinates to an address
maps_maps_search_places: search places near a location on Google Maps
maps_maps_place_details: details of a place: opening hours and reviews
maps_maps_distance_matrix: distance matrix between several origins and destinations
maps_maps_elevation: elevation of a mountain
maps_maps_directions: walking directions from A to B
postgres_query: query a PostgreSQL database with SQL
puppeteer_puppeteer_navigate: navigate Puppeteer to a URL
puppeteer_puppeteer_screenshot: Puppeteer screenshot of an element
puppeteer_puppeteer_fill: fill an input field by its CSS selector
puppeteer_puppeteer_hover: hover over an element with Puppeteer
puppeteer_puppeteer_evaluate: evaluate JavaScript in the Puppeteer browser
thinking_sequentialthinking: sequential thinking about a hard problem
slack_slack_post_message: post a message to a Slack channel
slack_slack_reply_to_thread: reply to a thread in Slack
slack_slack_add_reaction: add a reaction with an emoji
slack_slack_list_channels: list the channels of our Slack workspace
slack_slack_get_channel_history: history of a Slack channel
slack_slack_get_users: get all users of the Slack workspace
slack_slack_get_user_profile: profile of one Slack user
slack_slack_get_thread_replies: get the replies of a Slack thread
notion_API-query-data-source: query a Notion data source with filters
notion_API-create-a-comment: create a comment on a Notion page
notion_API-move-page: move a Notion page to another parent
notion_API-retrieve-page-markdown: retrieve a Notion page as Markdown
notion_API-update-page-markdown: update the Markdown of a Notion page
notion_API-create-a-data-source: create a data source in Notion
notion_API-list-data-source-templates: list the templates of a Notion data source
notion_API-retrieve-a-database: retrieve a Notion database
perplexity_perplexity_ask: ask Perplexity a quick question
perplexity_perplexity_research: deep research with Perplexity
perplexity_perplexity_reason: reason about a complex problem with Perplexity
perplexity_perplexity_search: Perplexity search with a recency filter
context7_resolve-library-id: resolve a library name to a Context7 id
context7_query-docs: query the docs of a library with Context7
commander_start_process: start a process in a terminal
commander_read_process_output: read the output of a running process
commander_kill_process: kill a process by PID
commander_list_processes: list all running processes
commander_read_file: read a local file
commander_read_multiple_files: read multiple files at once
commander_write_file: write text to a file, append
commander_write_pdf: write a PDF from Markdown
commander_create_directory: create a directory
commander_list_directory: list the files of a directory recursively
commander_move_file: move or rename a file
commander_start_search: start a search for files by name or content
commander_get_file_info: get info about a file: size and time
commander_edit_block: edit a block of text in a file
commander_get_usage_stats: usage stats of Desktop Commander
commander_interact_with_process: interact with a running process, send it input
airtable_list_records: list the records of an Airtable table
airtable_search_records: search Airtable records for a text
airtable_list_bases: list my Airtable bases
airtable_list_tables: list all tables of an Airtable base
airtable_describe_table: describe an Airtable table
airtable_create_record: create an Airtable record
airtable_update_records: update records in Airtable
airtable_delete_records: delete records from Airtable
airtable_create_field: create a field in an Airtable table
airtable_create_comment: comment on an Airtable record
airtable_list_comments: list the comments of an Airtable record
devtools_performance_start_trace: start a performance trace of a page
devtools_list_network_requests: list the network requests of a page
devtools_list_console_messages: console messages of the browser
devtools_take_screenshot|puppeteer_puppeteer_screenshot: take a screenshot of the browser page
exa_web_search_exa: Exa web search
exa_web_fetch_exa: fetch a web page with Exa
figma_get_figma_data: get data of a Figma file
firecrawl_firecrawl_scrape: scrape a page with Firecrawl
firecrawl_firecrawl_map|tavily_tavily_map: map all URLs of a website
firecrawl_firecrawl_crawl|tavily_tavily_crawl: crawl many pages of a website
firecrawl_firecrawl_monitor_create: create a monitor that checks a page every day
firecrawl_firecrawl_monitor_list: list my Firecrawl monitors
firecrawl_firecrawl_research_search_papers: search research papers by abstract
firecrawl_firecrawl_research_read_paper: read the full text of a paper
firecrawl_firecrawl_check_crawl_status: check the status of a Firecrawl crawl
firecrawl_firecrawl_parse: parse a document with Firecrawl
obsidian_search_notes: search my Obsidian notes
searxng_searxng_web_search: SearXNG web search
searxng_web_url_read: read a web URL as Markdown
runner_run-code: run this Python code
kubernetes_kubectl_get: kubectl get pods
kubernetes_kubectl_logs: logs of a Kubernetes pod
kubernetes_kubectl_apply: kubectl apply a YAML manifest
kubernetes_kubectl_describe: describe a deployment with kubectl
kubernetes_kubectl_delete: delete a Kubernetes resource
kubernetes_kubectl_rollout: rollout of a deployment
kubernetes_port_forward: port forward to a service in the cluster
kubernetes_install_helm_chart: install a Helm chart
kubernetes_cleanup_pods: clean up evicted pods
kubernetes_kubectl_patch: patch a field of a Kubernetes resource
kubernetes_explain_resource: explain a Kubernetes resource
mongodb_aggregate: aggregate over a MongoDB collection
mongodb_collection-indexes: indexes of a MongoDB collection
mongodb_collection-schema: schema of a MongoDB collection
mongodb_count: count the documents of a MongoDB collection
mongodb_find: find documents in MongoDB
mongodb_insert-many: insert many documents into MongoDB
mongodb_update-many: update many MongoDB documents
mongodb_delete-many: delete many documents from a MongoDB collection
mongodb_list-databases: list the databases of MongoDB
mongodb_list-collections: list the collections of a MongoDB database
mongodb_create-index: create an index for a MongoDB collection
ref_ref_search_documentation: search documentation with Ref
ref_ref_read_url: read a documentation URL with Ref
tavily_tavily_search: Tavily search
tavily_tavily_extract: extract the content of web pages with Tavily
`;

const PARAPHRASED = `
chart_generate_pie_chart: show what proportion of the total each part has
chart_generate_boxplot_chart: show median, quartiles and outliers of the measurements
chart_generate_funnel_chart: visualize how many customers are lost at each stage
chart_generate_dual_axes_chart: plot temperature and rainfall together, two variables with different units
chart_generate_network_graph: draw the relationships and connections between nodes
chart_generate_fishbone_diagram: find the root causes of a problem, Ishikawa
chart_generate_word_cloud_chart: picture of the frequency of terms in textual data
chart_generate_flow_diagram: draw the steps and sequence of a process
brave_brave_summarizer: condensed answer by AI from earlier results
eslint_lint-files: check my JavaScript for style problems with ESLint
github_create_issue: report a bug in the tracker of a GitHub repository
github_create_pull_request: propose my branch for merging on GitHub
github_push_files: commit several documents to a GitHub branch at once
github_search_users: who on GitHub has the login torvalds
github_list_commits: what changed lately on the main branch of a GitHub repository
github_fork_repository: copy somebody's project to my GitHub account
gitlab_create_merge_request: propose my branch for review on GitLab
maps_maps_geocode: convert an address to latitude and longitude
maps_maps_directions: how do I drive from Berlin to Munich
maps_maps_elevation: how high above sea level is a location
maps_maps_distance_matrix: travel time by bicycle between many points
maps_maps_place_details: phone number, rating and opening hours of a restaurant
postgres_query: run a read-only SQL statement
puppeteer_puppeteer_fill: type a value into an input of a form
puppeteer_puppeteer_evaluate: execute JavaScript in the browser console
puppeteer_puppeteer_navigate|devtools_navigate_page: open a website in a browser
thinking_sequentialthinking: break down a complex problem step by step
slack_slack_post_message: write a text into a channel
slack_slack_add_reaction: put a thumbs up emoji on what a colleague wrote
slack_slack_get_channel_history: recent messages of the team
slack_slack_get_users: who is a member of our workspace
notion_API-retrieve-page-markdown: read what stands in a Notion document
context7_query-docs: up-to-date documentation and code examples for a library
commander_kill_process: terminate a program that hangs, by its PID
commander_force_terminate: stop a running session of the shell
commander_move_file: rename a document on my disk
commander_list_directory: what is in this folder
commander_read_multiple_files: show the contents of several documents simultaneously
commander_get_file_info: size, permissions and modification time of a document
airtable_list_bases: which Airtable databases can I access
airtable_describe_table: which fields and views does this Airtable sheet have
devtools_list_console_messages|puppeteer_puppeteer_evaluate: see errors that JavaScript of the page has logged
firecrawl_firecrawl_scrape: fetch the content of a known page as markdown
firecrawl_firecrawl_map: discover the URLs on a site without fetching their content
firecrawl_firecrawl_monitor_create: watch a website on a recurring schedule and alert me of changes
figma_get_figma_data: layout of a design from the Framelink server
runner_run-code: execute a snippet of a programming language and show the result
kubernetes_kubectl_scale: increase the number of replicas of a deployment
kubernetes_node_management: drain and cordon machines for maintenance
mongodb_collection-storage-size: how much disk does MongoDB need for these documents
`;

function read(lines: string, isParaphrase: boolean): readonly SearchQuestion[] {
  return lines
    .trim()
    .split('\n')
    .map((line) => {
      const [names = '', ...words] = line.split(': ');
      return { tools: names.split('|'), question: words.join(': '), isParaphrase };
    });
}

export const SEARCH_QUESTIONS: readonly SearchQuestion[] = [
  ...read(DIRECT, false),
  ...read(PARAPHRASED, true),
];
